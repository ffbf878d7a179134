import { type EventStore, NO_STREAM } from './event-store.ts';

/** Of the last event of a stream; {@link NO_STREAM} where there is none. @throws as {@link EventStore.read} */
export async function lastRevision(events: Pick<EventStore, 'read'>, streamId: string): Promise<number> {
  for await (const { revision } of events.read(streamId, { direction: 'backwards' })) return revision;
  return NO_STREAM;
}

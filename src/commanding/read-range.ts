import { decodeEvent } from '../../events/catalog.ts';
import type { PlacedEvent } from '../../events/event.ts';
import { type EventStore, LogContradiction } from '../../events/event-store.ts';

/** The events of a command that its stream has answered. @throws {LogContradiction} they are not there */
export async function readRange(
  store: EventStore,
  streamId: string,
  from: number,
  to: number,
): Promise<{ readonly events: readonly PlacedEvent[]; readonly position: string }> {
  const events: PlacedEvent[] = [];
  let position: string | null = null;
  for await (const event of store.read(streamId, { from })) {
    if (event.revision > to) break;
    events.push(decodeEvent(event));
    ({ position } = event);
  }
  if (position === null)
    throw new LogContradiction(`${streamId} lost the events of a command that it has answered`);
  return { events, position };
}

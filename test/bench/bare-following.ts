/** Following a log in EventStoreDB as whoever knows the documentation of its client would write it. */
import {
  BACKWARDS,
  END,
  type EventStoreDBClient,
  type ReadPosition,
  START,
  streamNameFilter,
} from '@eventstore/db-client';

/**
 * Resolves once the streams of this prefix have given so many events.
 * @param after where in $all to begin
 */
export async function followBare(
  client: EventStoreDBClient,
  prefix: string,
  events: number,
  after: ReadPosition,
): Promise<void> {
  const filter = streamNameFilter({ prefixes: [prefix] });
  const subscription = client.subscribeToAll({ filter, fromPosition: after });
  let count = 0;
  for await (const { event } of subscription) {
    if (event !== undefined) count += 1;
    if (count >= events) break;
  }
  await subscription.unsubscribe();
}

/** Where in $all the next event will come after. */
export async function endOfAll(client: EventStoreDBClient): Promise<ReadPosition> {
  for await (const { event } of client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }))
    if (event !== undefined) return event.position;
  return START;
}

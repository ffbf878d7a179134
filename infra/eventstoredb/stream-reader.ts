/** Reads one of our streams: a first page, and where that was not all the rest as fast as it is taken. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Direction, END, type ReadRevision, type ResolvedEvent, START } from '@eventstore/db-client';
import type { RecordedEvent } from '../../events/event.ts';
import type { ReadOptions } from '../../events/event-store.ts';
import type { Connection } from './connection.ts';
import { decode } from './event-record.ts';
import { CallFailure, failureOf, unavailable } from './failures.ts';
import { PulledStream } from './pulled-stream.ts';
import { MAX_PAUSE_MS, readStreamPage } from './read-pages.ts';
import { replaced } from './subscription-feed.ts';

/** Most readers want the head or a short stream. */
const FIRST_PAGE_EVENTS = 8;
/** The client holds back the server when so much is not taken. */
const MAX_BUFFERED_EVENTS = 64;

/** @throws {StoreUnavailable} @throws {Error} an event was not written by us */
export async function* readStream(
  connection: Connection,
  prefix: string,
  streamId: string,
  { direction = 'forwards', from }: ReadOptions,
): AsyncGenerator<RecordedEvent, void> {
  const stream = prefix + streamId;
  const start: ReadRevision = from === undefined ? (direction === 'forwards' ? START : END) : BigInt(from);
  const first = { direction, from: start, maxCount: FIRST_PAGE_EVENTS };
  const page = await readStreamPage(connection, stream, first, (event) => decode(prefix, event));
  yield* page;
  if (page.length < FIRST_PAGE_EVENTS) return;
  let next = following(page.at(-1), direction);
  for (let failures = 0; next !== null;) {
    try {
      for await (const { event } of restOf(connection, stream, direction, next)) {
        if (event === undefined) continue;
        const decoded = decode(prefix, event);
        yield decoded;
        next = following(decoded, direction);
        failures = 0;
      }
      return;
    } catch (error) {
      const failure = failureOf(error);
      failures += 1;
      if (failures > 1 || !failure.isWorthAnotherTry) throw unavailable(failure);
      await pause(Math.random() * MAX_PAUSE_MS);
    }
  }
}

/** In one call, however long it takes, as long as each event comes within the deadline. @throws {CallFailure} */
async function* restOf(
  connection: Connection,
  stream: string,
  direction: Direction,
  fromRevision: ReadRevision,
): AsyncGenerator<ResolvedEvent, void> {
  const line = connection.line();
  const options = { ...connection.options, direction, fromRevision };
  const read = line.client.readStream(stream, options, { highWaterMark: MAX_BUFFERED_EVENTS });
  const items = new PulledStream<ResolvedEvent>(read, () => read.cancel());
  const stopListening = line.onRetired(() => items.fail(replaced()));
  try {
    while (!items.isAtEnd) {
      const item = items.take();
      if (item !== null) yield item;
      else if (items.failure !== undefined) throw items.failure;
      else if (!(await items.news(connection.deadlineMs)))
        throw new CallFailure('silent', `no further event within ${connection.deadlineMs} ms`);
    }
  } catch (error) {
    if (error instanceof CallFailure) connection.suspect(line, error);
    throw error;
  } finally {
    stopListening();
    items.close();
  }
}

/** Null where a stream ends or begins. */
function following(last: RecordedEvent | undefined, direction: Direction): bigint | null {
  if (last === undefined) return null;
  const revision = last.revision + (direction === 'forwards' ? 1 : -1);
  return revision < 0 ? null : BigInt(revision);
}

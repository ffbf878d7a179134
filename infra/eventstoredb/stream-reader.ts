/** Reads one of our streams in bounded pages; while a large one is worked through the next is on its way. */
import { type Direction, END, type ReadRevision, START } from '@eventstore/db-client';
import type { RecordedEvent } from '../../events/event.ts';
import type { ReadOptions } from '../../events/event-store.ts';
import type { Connection } from './connection.ts';
import { decode } from './event-record.ts';
import { nextPageSize, readStreamPage, type StreamPage } from './read-pages.ts';

/** The first page is small, since most readers want the head or a short stream. */
const FIRST_PAGE_EVENTS = 8;
const MAX_PAGE_EVENTS = 512;
/** Who has read so many at once will mostly read on. */
const READ_AHEAD_FROM_EVENTS = 128;

/** @throws {StoreUnavailable} @throws {Error} an event was not written by us */
export async function* readStream(
  connection: Connection,
  prefix: string,
  streamId: string,
  { direction = 'forwards', from }: ReadOptions,
): AsyncGenerator<RecordedEvent, void> {
  const read = (page: StreamPage): Promise<Read> => readPage(connection, prefix, streamId, page);
  const first = from === undefined ? endOf(direction) : BigInt(from);
  let reading = read({ direction, from: first, maxCount: FIRST_PAGE_EVENTS });
  for (;;) {
    const { events, next } = await reading;
    const ahead = next !== null && events.length >= READ_AHEAD_FROM_EVENTS ? read(next) : undefined;
    // Whoever leaves before it comes does not ask what became of it.
    ahead?.catch(() => {});
    yield* events;
    if (next === null) return;
    reading = ahead ?? read(next);
  }
}

interface Read {
  readonly events: readonly RecordedEvent[];
  /** Null where the stream ends. */
  readonly next: StreamPage | null;
}

async function readPage(
  connection: Connection,
  prefix: string,
  streamId: string,
  page: StreamPage,
): Promise<Read> {
  const startMs = performance.now();
  const events = await readStreamPage(connection, prefix + streamId, page, (event) => decode(prefix, event));
  const { direction, maxCount } = page;
  const last = events.at(-1);
  const after = (last?.revision ?? 0) + (direction === 'forwards' ? 1 : -1);
  if (last === undefined || events.length < maxCount || after < 0) return { events, next: null };
  const larger = nextPageSize(connection, maxCount, performance.now() - startMs, MAX_PAGE_EVENTS);
  return { events, next: { direction, from: BigInt(after), maxCount: larger } };
}

function endOf(direction: Direction): ReadRevision {
  return direction === 'forwards' ? START : END;
}

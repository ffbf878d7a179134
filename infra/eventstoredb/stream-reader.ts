/** Reads one of our streams: a first page, and where that was not all the rest as fast as it is taken. */
import { type Direction, END, type ReadRevision, START } from '@eventstore/db-client';
import type { RecordedEvent } from '../../events/event.ts';
import { LogContradiction, type ReadOptions } from '../../events/event-store.ts';
import type { Connection } from './connection.ts';
import { decode } from './event-record.ts';
import { CallFailure, failureOf, unavailable } from './failures.ts';
import { type PulledRead, pullRead } from './pulled-read.ts';
import { readStreamPage } from './read-pages.ts';
import { ALL_EVENTS, type StreamPage, streamRequest } from './read-requests.ts';
import { type ReadAnswer, recordIn } from './server-record.ts';

/** Most readers want the head or a short stream. */
const FIRST_PAGE_EVENTS = 8;

/**
 * @throws {StoreUnavailable} the stream could not be read, or lacks some of its events
 * @throws {Error} an event was not written by us
 */
export async function* readStream(
  connection: Connection,
  prefix: string,
  streamId: string,
  { direction = 'forwards', from }: ReadOptions,
  untilMs?: number,
): AsyncGenerator<RecordedEvent, void> {
  const stream = prefix + streamId;
  const start: ReadRevision = from === undefined ? (direction === 'forwards' ? START : END) : BigInt(from);
  const first = { direction, from: start, maxCount: FIRST_PAGE_EVENTS };
  const sequence = sequenceOf(stream, direction, from);
  const page = await readStreamPage(connection, stream, first, (record) => decode(prefix, record), untilMs);
  for (const event of page) yield sequence.next(event);
  if (page.length < FIRST_PAGE_EVENTS) return sequence.end();
  let next = following(page.at(-1), direction);
  for (let failures = 0; next !== null;) {
    try {
      for await (const answer of restOf(connection, stream, { direction, from: next }, untilMs)) {
        const record = recordIn(answer);
        if (record === undefined) continue;
        const decoded = sequence.next(decode(prefix, record));
        yield decoded;
        next = following(decoded, direction);
        failures = 0;
      }
      return sequence.end();
    } catch (error) {
      const failure = failureOf(error);
      failures += 1;
      if (failures > 1 || !failure.isWorthAnotherTry) throw unavailable(failure);
      await connection.beforeNextTry(untilMs);
    }
  }
}

/**
 * Holds that a stream is given without gaps, backwards to its first event. Nothing of ours is ever taken out of a
 * stream: where something is missing, others deleted it, or cut the stream by its metadata.
 */
function sequenceOf(stream: string, direction: Direction, from: number | undefined) {
  const step = direction === 'forwards' ? 1 : -1;
  let expected = direction === 'forwards' ? (from ?? 0) : undefined;
  const missing = (): LogContradiction =>
    new LogContradiction(`the stream ${stream} in EventStoreDB has lost its event ${expected}`);
  return {
    next(event: RecordedEvent): RecordedEvent {
      if (expected !== undefined && event.revision !== expected) throw missing();
      expected = event.revision + step;
      return event;
    },
    end(): void {
      if (direction === 'backwards' && expected !== undefined && expected >= 0) throw missing();
    },
  };
}

/** In one call, however long it takes, as long as each event comes within the deadline. @throws {CallFailure} */
async function* restOf(
  connection: Connection,
  stream: string,
  place: Pick<StreamPage, 'direction' | 'from'>,
  untilMs = Infinity,
): AsyncGenerator<ReadAnswer, void> {
  const answers = await pullRead(
    connection,
    streamRequest(stream, { ...place, maxCount: ALL_EVENTS }),
    untilMs,
  );
  try {
    while (!answers.isAtEnd) {
      const answer = answers.take();
      if (answer !== null) yield answer;
      else if (answers.failure !== undefined) throw answers.failure;
      else await newsWithin(connection.deadlineMs, answers, untilMs);
    }
  } catch (error) {
    if (error instanceof CallFailure) connection.suspect(answers.line, error);
    throw error;
  } finally {
    answers.close();
  }
}

/** @throws {CallFailure} */
async function newsWithin(deadlineMs: number, answers: PulledRead, untilMs: number): Promise<void> {
  const leftMs = untilMs - performance.now();
  if (await answers.news(Math.min(deadlineMs, Math.max(0, leftMs)))) return;
  if (leftMs < deadlineMs) throw new CallFailure('late', 'the time for an answer was over');
  throw new CallFailure('silent', `no further event within ${deadlineMs} ms`);
}

/** Null where a stream ends or begins. */
function following(last: RecordedEvent | undefined, direction: Direction): bigint | null {
  if (last === undefined) return null;
  const revision = last.revision + (direction === 'forwards' ? 1 : -1);
  return revision < 0 ? null : BigInt(revision);
}

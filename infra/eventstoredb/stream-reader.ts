/** Reads one of our streams: a first page, and where that was not all the rest as fast as it is taken. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Direction, END, type ReadRevision, START } from '@eventstore/db-client';
import type streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type { RecordedEvent } from '../../events/event.ts';
import { LogContradiction, type ReadOptions } from '../../events/event-store.ts';
import { cancelSoon, openRead } from './client-internals.ts';
import type { Connection } from './connection.ts';
import { decode } from './event-record.ts';
import { CallFailure, failureOf, unavailable } from './failures.ts';
import { PulledStream } from './pulled-stream.ts';
import { MAX_PAUSE_MS, readStreamPage } from './read-pages.ts';
import { ALL_EVENTS, eventIn, type StreamPage, streamRequest } from './read-requests.ts';
import { replaced } from './subscription-feed.ts';

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
  const page = await readStreamPage(connection, stream, first, (event) => decode(prefix, event), untilMs);
  for (const event of page) yield sequence.next(event);
  if (page.length < FIRST_PAGE_EVENTS) return sequence.end();
  let next = following(page.at(-1), direction);
  for (let failures = 0; next !== null;) {
    try {
      for await (const answer of restOf(connection, stream, { direction, from: next }, untilMs)) {
        const event = eventIn(answer);
        if (event === undefined) continue;
        const decoded = sequence.next(decode(prefix, event));
        yield decoded;
        next = following(decoded, direction);
        failures = 0;
      }
      return sequence.end();
    } catch (error) {
      const failure = failureOf(error);
      failures += 1;
      if (failures > 1 || !failure.isWorthAnotherTry) throw unavailable(failure);
      await pause(Math.random() * MAX_PAUSE_MS);
      await connection.whenUsable(untilMs);
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
): AsyncGenerator<streamsPb.ReadResp, void> {
  const line = connection.line();
  const request = streamRequest(stream, { ...place, maxCount: ALL_EVENTS });
  const read = await connection.call((client) => openRead(client, request, connection.options), { untilMs });
  const answers = new PulledStream<streamsPb.ReadResp>(read, () => cancelSoon(read));
  const stopListening = line.onRetired(() => answers.fail(replaced()));
  try {
    while (!answers.isAtEnd) {
      const answer = answers.take();
      if (answer !== null) yield answer;
      else if (answers.failure !== undefined) throw answers.failure;
      else await newsWithin(connection.deadlineMs, answers, untilMs);
    }
  } catch (error) {
    if (error instanceof CallFailure) connection.suspect(line, error);
    throw error;
  } finally {
    stopListening();
    answers.close();
  }
}

/** @throws {CallFailure} */
async function newsWithin(
  deadlineMs: number,
  answers: PulledStream<unknown>,
  untilMs: number,
): Promise<void> {
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

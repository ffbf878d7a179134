/** Reads that are answered whole or fail: a page of a stream, or of the log as far as it concerns positions. */
import { BACKWARDS, END, FORWARDS, type ReadRevision } from '@eventstore/db-client';
import type streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { status } from '@grpc/grpc-js';
import { cancelSoon, openRead, type ReadCall } from './client-internals.ts';
import type { Connection } from './connection.ts';
import { CallFailure, failureOf, refusedFor, unavailable } from './failures.ts';
import { fromText, type LogPosition, toText } from './position.ts';
import { type LogPage, logRequest, type StreamPage, streamRequest } from './read-requests.ts';
import { bytesIn, type ReadAnswer, recordIn, type ServerRecord } from './server-record.ts';

/** A place in the log. */
export interface Placed {
  readonly stream: string;
  readonly position: LogPosition;
  /** The id of its event. */
  readonly uuid: string;
  /** How much of the answer it took. */
  readonly bytes: number;
}

/**
 * Nothing of a stream that does not exist.
 * @param keep what is made of each event as it comes
 * @throws {StoreUnavailable} @throws what `keep` throws
 */
export function readStreamPage<Kept>(
  connection: Connection,
  stream: string,
  page: StreamPage,
  keep: (record: ServerRecord) => Kept,
  untilMs?: number,
): Promise<readonly Kept[]> {
  const keepAnswer = (answer: ReadAnswer): Kept | undefined => {
    const record = recordIn(answer);
    return record && keep(record);
  };
  return tryTwice(connection, { stream, request: () => streamRequest(stream, page) }, keepAnswer, untilMs);
}

/** The event of a stream at `from`, or its last one; undefined when there is none. @throws {StoreUnavailable} */
export async function readLastOf(
  connection: Connection,
  stream: string,
  from: ReadRevision = END,
  untilMs?: number,
): Promise<ServerRecord | undefined> {
  const page = { direction: BACKWARDS, from, maxCount: 1 } as const;
  const [last] = await readStreamPage(connection, stream, page, (record) => record, untilMs);
  return last;
}

/** Of everybody's events: the client cannot ask for ours alone. @throws {StoreUnavailable} */
export function readLogPage(
  connection: Connection,
  page: LogPage,
  untilMs?: number,
): Promise<readonly Placed[]> {
  return tryTwice(connection, { stream: '$all', request: () => logRequest(page) }, placeIn, untilMs);
}

/** Whoever's event is at this very place of the log; undefined where none is. @throws {StoreUnavailable} */
export async function readEventAt(
  connection: Connection,
  from: LogPosition,
): Promise<ServerRecord | undefined> {
  const request = (): streamsPb.ReadReq => logRequest({ direction: FORWARDS, from, maxCount: 1 });
  const [found] = await tryTwice(connection, { stream: '$all', request }, recordIn);
  return found !== undefined && found.position === toText(from) ? found : undefined;
}

/** Null for the server's word for a position beyond its end or in the midst of a record. */
export async function unlessNoPlace<Found>(reading: Promise<Found>): Promise<Found | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && error.cause instanceof CallFailure && error.cause.reason === 'no-place')
      return null;
    throw error;
  }
}

/** Others' events are not looked into: there may be many, and large ones. */
function placeIn(answer: ReadAnswer): Placed | undefined {
  const record = recordIn(answer);
  if (record === undefined) return undefined;
  return {
    stream: record.stream,
    position: fromText(record.position),
    uuid: record.uuid,
    bytes: bytesIn(record),
  };
}

/** A read changes nothing, so a second try, on a new connection if need be, can do no harm. */
async function tryTwice<Kept>(
  connection: Connection,
  { stream, request }: { readonly stream: string; readonly request: () => streamsPb.ReadReq },
  keep: (answer: ReadAnswer) => Kept | undefined,
  untilMs = Infinity,
): Promise<readonly Kept[]> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await connection.call(
        async (client, signal) =>
          collect(await openRead(client, request(), connection.options), keep, signal),
        { untilMs },
      );
    } catch (error) {
      const failure = failureOf(error);
      if (failure.isPermanent) throw refusedFor(failure, connection.user, 'r', stream);
      if (!isFirst || !failure.isWorthAnotherTry) throw unavailable(failure);
      await connection.beforeNextTry(untilMs);
    }
  }
}

/**
 * Of everything that a bounded read gives what is to be kept, once the call has ended with the status OK: what ends in
 * another way was cut off. It is cancelled when nobody waits for it any more.
 */
function collect<Kept>(
  call: ReadCall,
  keep: (answer: ReadAnswer) => Kept | undefined,
  signal: AbortSignal,
): Promise<readonly Kept[]> {
  return new Promise((resolve, reject) => {
    const all: Kept[] = [];
    let isWhole = false;
    const leave = (why: unknown): void => {
      reject(why);
      if (!call.readableEnded) cancelSoon(call);
    };
    call.on('data', (answer: ReadAnswer) => {
      try {
        const kept = keep(answer);
        if (kept !== undefined) all.push(kept);
      } catch (error) {
        leave(error);
      }
    });
    call.on('status', ({ code }) => (isWhole = code === status.OK));
    call.on('end', () =>
      isWhole ? resolve(all) : reject(new CallFailure('broken', 'a read ended before it was whole')),
    );
    // It stays: an error without a listener ends the process, and one may come after the call was left.
    call.on('error', reject);
    const abandon = (): void => leave(new CallFailure('silent', 'nobody waited for the rest'));
    if (signal.aborted) abandon();
    signal.addEventListener('abort', abandon);
  });
}

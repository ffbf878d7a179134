/** Reads that are answered whole: a page of a stream, or of the log as far as it concerns positions. */
import {
  type AllStreamResolvedEvent,
  BACKWARDS,
  type Direction,
  END,
  type ReadPosition,
  type ReadRevision,
  type RecordedEvent as ServerEvent,
  type ResolvedEvent,
  StreamNotFoundError,
  type StreamingRead,
} from '@eventstore/db-client';
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import { CallFailure, failureOf, unavailable } from './failures.ts';
import type { LogPosition } from './position.ts';

/** Before the second try of a read, so that the client has left a broken connection. */
export const MAX_PAUSE_MS = 50;

/** A place in the log. */
export interface Placed {
  readonly stream: string;
  readonly position: LogPosition;
}

export interface StreamPage {
  readonly direction: Direction;
  /** The first revision to give, inclusive. */
  readonly from: ReadRevision;
  readonly maxCount: number;
}

/**
 * Nothing of a stream that does not exist.
 * @param keep what is made of each event as it comes
 * @throws {StoreUnavailable} @throws what `keep` throws
 */
export function readStreamPage<Kept>(
  connection: Connection,
  stream: string,
  { direction, from, maxCount }: StreamPage,
  keep: (event: ServerEvent) => Kept,
): Promise<readonly Kept[]> {
  return tryTwice(
    connection,
    (client) => client.readStream(stream, { ...connection.options, direction, fromRevision: from, maxCount }),
    ({ event }: ResolvedEvent) => event && keep(event),
  );
}

/** The event of a stream at `from`, or its last one; undefined when there is none. @throws {StoreUnavailable} */
export async function readLastOf(
  connection: Connection,
  stream: string,
  from: ReadRevision = END,
): Promise<ServerEvent | undefined> {
  const page = { direction: BACKWARDS, from, maxCount: 1 } as const;
  const [last] = await readStreamPage(connection, stream, page, (event) => event);
  return last;
}

export interface LogPage {
  readonly direction: Direction;
  /** Inclusive forwards, exclusive backwards. */
  readonly from: ReadPosition;
  readonly maxCount: number;
}

/** Of everybody's events: the client cannot ask for ours alone. @throws {StoreUnavailable} */
export async function readLogPage(
  connection: Connection,
  { direction, from, maxCount }: LogPage,
): Promise<readonly Placed[]> {
  return tryTwice(
    connection,
    (client) => client.readAll({ ...connection.options, direction, fromPosition: from, maxCount }),
    ({ event }: AllStreamResolvedEvent) => event && { stream: event.streamId, position: event.position },
  );
}

type Client = Parameters<Parameters<Connection['call']>[0]>[0];

/** A read changes nothing, so a second try, on a new connection if need be, can do no harm. */
async function tryTwice<Event, Kept>(
  connection: Connection,
  read: (client: Client) => StreamingRead<Event>,
  keep: (event: Event) => Kept | undefined,
): Promise<readonly Kept[]> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await connection.call((client, signal) => collect(read(client), keep, signal));
    } catch (error) {
      const failure = failureOf(error);
      if (!isFirst || !failure.isWorthAnotherTry) throw unavailable(failure);
      await pause(Math.random() * MAX_PAUSE_MS);
    }
  }
}

/** Of everything that a bounded read gives what is to be kept. It is cancelled when nobody waits for it any more. */
function collect<Event, Kept>(
  stream: StreamingRead<Event>,
  keep: (event: Event) => Kept | undefined,
  signal: AbortSignal,
): Promise<readonly Kept[]> {
  return new Promise((resolve, reject) => {
    const all: Kept[] = [];
    let isOver = false;
    const leave = (why: unknown): void => {
      if (isOver) return;
      isOver = true;
      stream.cancel().catch(() => {});
      reject(why);
    };
    stream.on('data', (event: Event) => {
      try {
        const kept = keep(event);
        if (kept !== undefined) all.push(kept);
      } catch (error) {
        leave(error);
      }
    });
    stream.on('end', () => {
      isOver = true;
      resolve(all);
    });
    // It stays: an error without a listener ends the process, and one may come after the call was left.
    stream.on('error', (error) => {
      isOver = true;
      if (error instanceof StreamNotFoundError) resolve([]);
      else reject(error);
    });
    signal.addEventListener('abort', () => leave(new CallFailure('silent', 'nobody waited for the rest')));
  });
}

/** One append with certainty as far as it can be had: where the answer stays away, the identical request is repeated. */
import { setTimeout as pause } from 'node:timers/promises';
import { OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';
import type { AppendAnswer, AppendRequest } from './append-pipe.ts';
import type { Connection } from './connection.ts';
import { type CallFailure, failureOf, unavailable, unknown } from './failures.ts';
import type { LogPosition } from './position.ts';
import { readLastOf } from './read-pages.ts';

/** Whoever wants more of them asks again: see src/runners/append-surely.ts. */
const TRIES = 2;
const MAX_PAUSE_MS = 50;

export type Appended =
  | { readonly ok: true; readonly revision: number; readonly position: LogPosition }
  | { readonly ok: false; readonly actualRevision: number };

/**
 * The server compares the ids with those that follow the expected revision, so a repetition writes nothing twice.
 * @throws {StoreUnavailable} nothing was written
 * @throws {OutcomeUnknown} it may have been written
 */
export async function append(connection: Connection, request: AppendRequest): Promise<Appended> {
  const answer = await answerTo(connection, request);
  if (!answer.ok) return answer;
  const { revision, position } = answer;
  return {
    ok: true,
    revision,
    position: position ?? (await positionOf(connection, request.stream, revision)),
  };
}

async function answerTo(connection: Connection, request: AppendRequest): Promise<AppendAnswer> {
  let unanswered: CallFailure | undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await connection.append(request);
    } catch (error) {
      // Closed meanwhile: what the first try did is as unknown as before.
      if (error instanceof StoreUnavailable && unanswered !== undefined) throw unknown(unanswered);
      const failure = failureOf(error);
      if (failure.reason === 'deleted')
        throw new Error(`the stream ${request.stream} was deleted in EventStoreDB`, { cause: failure });
      if (!failure.isUndone) unanswered ??= failure;
      if (attempt === TRIES || !failure.isWorthAnotherTry)
        throw unanswered === undefined ? unavailable(failure) : unknown(unanswered);
      await pause(Math.random() * MAX_PAUSE_MS);
    }
  }
}

/** The server leaves it out of the answer to a repetition whose first event it is still indexing. */
async function positionOf(connection: Connection, stream: string, revision: number): Promise<LogPosition> {
  const event = await writtenAt(connection, stream, revision);
  if (event?.position === undefined || event.revision !== BigInt(revision))
    throw new Error(`EventStoreDB does not give back event ${revision} of the stream ${stream}`);
  return event.position;
}

async function writtenAt(connection: Connection, stream: string, revision: number) {
  try {
    return await readLastOf(connection, stream, BigInt(revision));
  } catch (error) {
    // It was written, which "unavailable" would deny.
    if (error instanceof StoreUnavailable) throw new OutcomeUnknown(error.message, { cause: error });
    throw error;
  }
}

/** One append with certainty as far as it can be had: where the answer stays away, the stream is asked instead. */
import { OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';
import type { AppendAnswer, AppendRequest } from './append-messages.ts';
import type { Connection } from './connection.ts';
import { type CallFailure, failureOf, refusedFor, unavailable, unknown } from './failures.ts';
import { fromText, type LogPosition } from './position.ts';
import { readLastOf, readStreamPage } from './read-pages.ts';

/** Whoever wants more of them asks again: see src/commanding/append-with-retry.ts. */
const TRIES = 2;
/**
 * In deadlines of a call: later than the answers of a server that has much to do, which looks would add to. Each look at
 * the stream after it waits twice as long.
 */
const FIRST_LOOK_DEADLINES = 0.25;

export type Appended =
  | { readonly ok: true; readonly revision: number; readonly position: LogPosition }
  | { readonly ok: false; readonly actualRevision: number };

/**
 * The server compares the ids with those that follow the expected revision, so a repetition writes nothing twice.
 * @param untilMs when an answer is wanted, by `performance.now()`
 * @throws {StoreUnavailable} nothing was written
 * @throws {OutcomeUnknown} it may have been written
 * @throws {Error} the server will never take it
 */
export async function append(
  connection: Connection,
  request: AppendRequest,
  untilMs = performance.now() + TRIES * connection.deadlineMs,
): Promise<Appended> {
  return placed(connection, request, await answerTo(connection, request, untilMs), untilMs);
}

/**
 * Tries once and looks at no stream: appends that are sent one after the other keep their order only as long as none of
 * them is sent again by itself. A server takes them off the pipe one by one (Receive in Streams.BatchAppend.cs) and
 * writes them in that order; where the pipe breaks, the rest of them is not written.
 * @throws as {@link append}
 */
export async function appendOnce(connection: Connection, request: AppendRequest): Promise<Appended> {
  const untilMs = performance.now() + connection.deadlineMs;
  try {
    return await placed(connection, request, await connection.append(request, untilMs), untilMs);
  } catch (error) {
    const failure = failureOf(error);
    if (failure.reason === 'unanswered') connection.renewPipe();
    if (failure.isPermanent) throw refusedFor(failure, connection.user, 'w', request.stream);
    // Whoever asks again is to find the server there, if it is back by then.
    await connection.whenUsable();
    throw failure.isUndone ? unavailable(failure) : unknown(failure);
  }
}

async function placed(
  connection: Connection,
  { stream, expectedRevision, messages }: AppendRequest,
  answer: AppendAnswer,
  untilMs: number,
): Promise<Appended> {
  if (!answer.ok) return answer;
  const { revision, position } = answer;
  // A stream that others deleted goes on after its last event, whatever revision was expected.
  if (revision !== expectedRevision + messages.length)
    throw new Error(`the stream ${stream} was deleted in EventStoreDB, and has gone on at ${revision}`);
  return {
    ok: true,
    revision,
    position: position ?? (await positionAt(connection, stream, revision, untilMs)),
  };
}

async function answerTo(
  connection: Connection,
  request: AppendRequest,
  untilMs: number,
): Promise<AppendAnswer> {
  let unanswered: CallFailure | undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await answerOrStream(connection, request, untilMs);
    } catch (error) {
      // Closed meanwhile: what the first try did is as unknown as before.
      if (error instanceof StoreUnavailable && unanswered !== undefined) throw unknown(unanswered);
      const failure = failureOf(error);
      if (!failure.isUndone) unanswered ??= failure;
      if (failure.isPermanent && unanswered === undefined)
        throw refusedFor(failure, connection.user, 'w', request.stream);
      if (failure.reason === 'unanswered') connection.renewPipe();
      if (attempt === TRIES || !failure.isWorthAnotherTry)
        throw unanswered === undefined ? unavailable(failure) : unknown(unanswered);
      await connection.beforeNextTry(untilMs);
    }
  }
}

/**
 * A server drops the repetition of what it still replicates, without a word. So a stream whose append is not answered
 * is looked at while the answer is waited for; whatever else is under way is left alone. By callbacks, since nearly all
 * are answered at once, and each race of promises would cost as much as the answer.
 */
function answerOrStream(
  connection: Connection,
  request: AppendRequest,
  untilMs: number,
): Promise<AppendAnswer> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let isSettled = false;
    const settled = (): void => {
      isSettled = true;
      clearTimeout(timer);
    };
    const answered = (answer: AppendAnswer): void => {
      settled();
      resolve(answer);
    };
    const failed = (error: unknown): void => {
      settled();
      reject(error);
    };
    const lookAfter = (ms: number): void => {
      timer = setTimeout(() => {
        const found = foundInStream(connection, request, untilMs);
        found.then((answer) => {
          if (answer !== undefined) answered(answer);
          else if (!isSettled) lookAfter(2 * ms);
        }, failed);
      }, ms);
    };
    lookAfter(FIRST_LOOK_DEADLINES * connection.deadlineMs);
    connection.append(request, untilMs).then(answered, failed);
  });
}

/** What the stream holds where these events were to stand: them, or somebody else's; undefined while it ends there. */
async function foundInStream(
  connection: Connection,
  { stream, expectedRevision, messages }: AppendRequest,
  untilMs: number,
): Promise<AppendAnswer | undefined> {
  const from = BigInt(expectedRevision + 1);
  const page = { direction: 'forwards', from, maxCount: messages.length } as const;
  try {
    const records = await readStreamPage(connection, stream, page, (record) => record, untilMs);
    if (records[0]?.revision !== expectedRevision + 1) return undefined;
    const revision = expectedRevision + messages.length;
    const newest = records.at(-1);
    const ids = records.map(({ uuid }) => uuid);
    if (messages.every(({ id }, i) => id === ids[i]))
      return { ok: true, revision, position: newest && fromText(newest.position) };
    const last = await readLastOf(connection, stream, undefined, untilMs);
    return last && { ok: false, actualRevision: last.revision };
  } catch (error) {
    // Nothing is known by it: the answer to the append is still to come.
    if (error instanceof StoreUnavailable) return undefined;
    throw error;
  }
}

/** The server leaves it out of the answer to a repetition whose first event it is still indexing. */
async function positionAt(
  connection: Connection,
  stream: string,
  revision: number,
  untilMs: number,
): Promise<LogPosition> {
  const record = await writtenAt(connection, stream, revision, untilMs);
  if (record?.revision !== revision)
    throw new Error(`EventStoreDB does not give back event ${revision} of the stream ${stream}`);
  return fromText(record.position);
}

async function writtenAt(connection: Connection, stream: string, revision: number, untilMs: number) {
  try {
    return await readLastOf(connection, stream, BigInt(revision), untilMs);
  } catch (error) {
    // It was written, which "unavailable" would deny.
    if (error instanceof StoreUnavailable) throw new OutcomeUnknown(error.message, { cause: error });
    throw error;
  }
}

/** A value that replaces the one before it: the last event of a stream of its own, of which the server keeps a few. */
import { LogContradiction, NO_STREAM, StoreUnavailable } from '../../events/event-store.ts';
import { append } from './append.ts';
import { jsonMessage } from './append-messages.ts';
import type { Connection } from './connection.ts';
import { readLastOf } from './read-pages.ts';
import { jsonIn } from './server-record.ts';

/** More than one, so that repeated appends are still recognised. */
const KEPT_EVENTS = 10;
/** Two processes that set the same value at once are a mistake, and need not be served for long. */
const TRIES = 5;

export interface LatestValue {
  /** Null when there is none yet. @throws {StoreUnavailable} @throws {LogContradiction} there was one before */
  readonly get: () => Promise<object | null>;
  /**
   * Resolves once it is durable.
   * @param untilMs when an answer is wanted, by `performance.now()`
   * @throws {StoreUnavailable | OutcomeUnknown}
   */
  readonly set: (value: object, untilMs?: number) => Promise<void>;
  /** Sets it unless there is one already. @throws as `set` */
  readonly begin: (value: object) => Promise<void>;
}

/** @param type of its events, for people who look at the stream */
export function latestValue(connection: Connection, stream: string, type: string): LatestValue {
  let revision: number | undefined;
  let isBounded = false;

  const read = async (untilMs?: number): Promise<object | null> => {
    const last = await readLastOf(connection, stream, undefined, untilMs);
    if (last === undefined && revision !== undefined && revision !== NO_STREAM)
      throw new LogContradiction(`the stream ${stream} in EventStoreDB has lost its event ${revision}`);
    revision = last === undefined ? NO_STREAM : last.revision;
    if (last === undefined) return null;
    const value = jsonIn(last.data);
    if (typeof value !== 'object' || value === null)
      throw new Error(`event ${revision} of the stream ${stream} was not written by Bourse`);
    return value;
  };
  const put = async (value: object, expectedRevision: number, untilMs?: number): Promise<boolean> => {
    if (!isBounded) await boundStream(connection, stream, untilMs);
    isBounded = true;
    const messages = [jsonMessage(type, value)];
    const answer = await append(connection, { stream, expectedRevision, messages }, untilMs);
    revision = answer.ok ? answer.revision : answer.actualRevision;
    return answer.ok;
  };
  return {
    get: () => read(),
    async set(value, untilMs) {
      if (revision === undefined) await read(untilMs);
      for (let attempt = 1; !(await put(value, revision ?? NO_STREAM, untilMs)); attempt += 1)
        if (attempt === TRIES) throw new StoreUnavailable(`others keep writing to the stream ${stream}`);
    },
    async begin(value) {
      await put(value, NO_STREAM);
    },
  };
}

/** By the stream of its metadata. Where that exists it is left as it is: an administrator may have plans of his own. */
async function boundStream(connection: Connection, stream: string, untilMs?: number): Promise<void> {
  const messages = [jsonMessage('$metadata', { $maxCount: KEPT_EVENTS })];
  await append(connection, { stream: `$$${stream}`, expectedRevision: NO_STREAM, messages }, untilMs);
}

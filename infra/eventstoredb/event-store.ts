/**
 * The log in EventStoreDB, or KurrentDB by the same protocol: streams under a prefix of their own in a database that
 * others may use as well, followed through $all.
 */
import { assertAppendable, assertNotTooLarge } from '../../events/appendable.ts';
import type { Checkpoints } from '../../events/checkpoints.ts';
import {
  type Append,
  type AppendResult,
  type EventStore,
  OutcomeUnknown,
  StoreUnavailable,
} from '../../events/event-store.ts';
import { type Address, parseAddress } from './address.ts';
import { append, appendOnce } from './append.ts';
import { eventStoreDbCheckpoints } from './checkpoints.ts';
import { Connection } from './connection.ts';
import { encode } from './event-record.ts';
import { CallFailure, failureOf, NO_NODE } from './failures.ts';
import type { LogView } from './feed-pages.ts';
import { LogEnd, type SearchBounds } from './log-end.ts';
import { openLogMarks } from './log-marks.ts';
import { subscribeToLog } from './log-subscription.ts';
import { ownEvents } from './own-events.ts';
import { isPosition, toText } from './position.ts';
import { assertRights, assertWritable } from './rights.ts';
import { assertRecent, explained, soleFailure } from './start.ts';
import { readStream } from './stream-reader.ts';

const DEADLINE_MS = 2_000;
/** No name of one installation's streams begins with the prefix of another: each has one full stop, at its end. */
const PREFIX = /^[A-Za-z][A-Za-z0-9_]{0,62}\.$/;

export interface EventStoreDbOptions {
  /** `esdb://user:password@host:2113?tls=true`, or `esdb+discover://` a cluster. */
  readonly url: string;
  /** What the names of this installation's streams begin with, such as `bourse.`. */
  readonly prefix: string;
  /** For each try of a call. An append is tried twice, a page of a read as well. */
  readonly deadlineMs?: number;
  /** Smaller for tests, which need not write thousands of events to see a long search. */
  readonly search?: SearchBounds;
}

export interface EventStoreDbLog {
  readonly store: EventStore;
  readonly checkpoints: Checkpoints;
  /**
   * Appends that are asked for in one turn by `append`, within these bounds and while no other is under way, are
   * committed in that order, as far as they are: what failed may be asked for again, all of it, in the same order.
   */
  readonly together: {
    readonly appends: number;
    readonly bytes: number;
    readonly append: EventStore['append'];
  };
  readonly close: () => Promise<void>;
}

/** A server that takes fewer in the time of one call is better served one by one. */
const TOGETHER = { appends: 200, bytes: 2_000_000 } as const;

/**
 * Opens the log, and begins it where nobody has.
 * @throws {StoreUnavailable} one line that says what is wrong with the address or the server, and holds no password
 */
export async function openEventStoreDb({
  url,
  prefix,
  deadlineMs = DEADLINE_MS,
  search,
}: EventStoreDbOptions): Promise<EventStoreDbLog> {
  if (!PREFIX.test(prefix)) throw new RangeError(`${prefix} is not a prefix such as bourse.`);
  const address = parseAddress(url);
  const connection = connect(address, deadlineMs);
  try {
    await assertRecent(connection);
    await assertRights(connection, prefix);
    const end = await LogEnd.open(connection, prefix, search);
    const log: LogView = {
      connection,
      prefix,
      end,
      marks: await openLogMarks(connection, prefix),
      own: ownEvents(prefix),
    };
    const close = (): Promise<void> => connection.close();
    return {
      store: storeOf(log, close),
      checkpoints: eventStoreDbCheckpoints(connection, prefix),
      together: {
        ...TOGETHER,
        append: (streamId, expectedRevision, events) =>
          appendTo(log, { streamId, expectedRevision, events }, appendOnce),
      },
      close,
    };
  } catch (error) {
    await connection.close();
    throw await reasonOf(error, address, deadlineMs);
  }
}

function storeOf(log: LogView, close: () => Promise<void>, untilMs?: number): EventStore {
  const { connection, prefix, end, marks } = log;
  return {
    append: (streamId, expectedRevision, events) =>
      appendTo(log, { streamId, expectedRevision, events }, (...request) => append(...request, untilMs)),
    read: (streamId, options = {}) => readStream(connection, prefix, streamId, options, untilMs),
    subscribe: (options) => subscribeToLog(log, options),
    within: (moment) => storeOf(log, close, moment),
    async head() {
      const last = await end.find(untilMs);
      return last === null ? null : toText(last);
    },
    knows: isPosition,
    marks,
    checkWritable: () => assertWritable(connection, `${prefix}rights`, untilMs),
    close,
  };
}

async function appendTo(
  { connection, prefix, end, marks, own }: LogView,
  { streamId, expectedRevision, events }: Append,
  send: typeof appendOnce,
): Promise<AppendResult> {
  assertAppendable(expectedRevision, events);
  const messages = events.map(encode);
  assertNotTooLarge(messages.reduce((sum, { weight }) => sum + weight, 0));
  own.add(streamId, events, messages);
  const answer = await send(connection, { stream: prefix + streamId, expectedRevision, messages });
  if (!answer.ok) return answer;
  end.note(answer.position);
  const position = toText(answer.position);
  const last = events.at(-1);
  if (last !== undefined) marks.note({ position, id: last.id, at: last.at });
  return { ok: true, revision: answer.revision, position };
}

function connect(address: Address, deadlineMs: number): Connection {
  try {
    return new Connection(address, deadlineMs);
  } catch (error) {
    // The client's own reading of the address, such as a file that is not there; it is given no password.
    const why = error instanceof Error ? error.message : String(error);
    throw new StoreUnavailable(`the address of EventStoreDB cannot be used: ${why}`, { cause: error });
  }
}

/** What a start fails with: a line for people wherever the server or the address is to blame. */
async function reasonOf(error: unknown, address: Address, deadlineMs: number): Promise<unknown> {
  if (error instanceof OutcomeUnknown) return reasonOf(error.cause, address, deadlineMs);
  if (error instanceof StoreUnavailable && !(error.cause instanceof CallFailure)) return error;
  try {
    const failure = failureOf(error);
    const isNamed = failure.reason === 'denied' && address.credentials !== undefined;
    if (isNamed && error instanceof StoreUnavailable) return error;
    // The client tries the hosts one after the other, and may not have come to the end of them.
    const isOfSeveral = failure.reason === 'silent' && address.hosts.length > 1;
    const sole = failure.message === NO_NODE || isOfSeveral ? await soleFailure(address, deadlineMs) : null;
    return sole ?? explained(failure, address);
  } catch {
    return error;
  }
}

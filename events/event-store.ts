/**
 * The port to the log. Streams are appended to at an expected revision and never rewritten; the log as a whole is
 * followed in commit order. Every adapter passes test/contract/event-store.contract.ts.
 */
import type { NewEvent, RecordedEvent } from './event.ts';
import type { LogMarks } from './log-mark.ts';

/** The revision of a stream that does not exist: its first event has revision 0. */
export const NO_STREAM = -1;

/** At most this many events in one append: one group must stay small enough to commit at once. */
export const MAX_APPEND_EVENTS = 1_000;

/** At most this many bytes in one append, as {@link weigh} counts them (appendable.ts): EventStoreDB takes 1 MiB. */
export const MAX_APPEND_BYTES = 1_000_000;

export type AppendResult =
  | { readonly ok: true; readonly revision: number; readonly position: string }
  /** Somebody else wrote first; `actualRevision` is where the stream stands. Nothing was written. */
  | { readonly ok: false; readonly actualRevision: number };

/** These events right after this revision of this stream. */
export interface Append {
  readonly streamId: string;
  readonly expectedRevision: number;
  readonly events: readonly NewEvent[];
}

/** What became of an append and of what was to follow from it. */
export interface DependentsResult {
  readonly first: AppendResult;
  /** Whether each dependent is in the log too; false where its stream stands elsewhere. */
  readonly dependents: readonly boolean[];
}

export interface ReadOptions {
  /** The first revision to give, inclusive. Forwards from 0, backwards from the end, when absent. */
  readonly from?: number;
  readonly direction?: 'forwards' | 'backwards';
}

export interface SubscribeOptions {
  /** Deliver what was committed after this position; from the beginning when null. */
  readonly after: string | null;
  /** Only events of these types; the page's position moves on past the others all the same. */
  readonly types?: readonly string[];
  /** The most events in one page; by default what suits the engine, 500 at most. */
  readonly pageSize?: number;
  /** Ends the iteration. */
  readonly signal: AbortSignal;
}

export interface EventPage {
  readonly events: readonly RecordedEvent[];
  /** How long the JSON of their data and meta is, about: for those who keep pages to know how much they keep. */
  readonly chars: number;
  /** Everything up to here has been delivered: the checkpoint to keep. */
  readonly position: string;
  /** Whether the log held nothing more when the page was read. */
  readonly caughtUp: boolean;
}

export interface EventStore {
  /**
   * Appends all of `events` (at least one) right after `expectedRevision`, or none. Resolves only once they are
   * durable. The identical append again (same ids, same expected revision) succeeds with the first outcome and writes
   * nothing, for ever; the ids alone are compared, and the first few of its events are enough.
   * @throws {RangeError} no events, too many or too large ones, or no revision (appendable.ts)
   * @throws {StoreUnavailable} nothing was written
   * @throws {OutcomeUnknown} they may or may not have been written: repeat the identical append to know
   */
  append(streamId: string, expectedRevision: number, events: readonly NewEvent[]): Promise<AppendResult>;

  /**
   * An append, and others to other streams that are made only if it is, in one commit: none of them is there without
   * the others, save those that find somebody else's events. Each has the bounds of an append; they are few. Absent where the engine knows commits of one stream alone,
   * such as EventStoreDB: nothing may depend on it but speed.
   * @throws as {@link append}
   */
  appendAll?(first: Append, dependents: readonly Append[]): Promise<DependentsResult>;

  /**
   * The events of one stream in order; nothing for a stream that does not exist. Read in bounded pages. What ends has
   * given everything: a read that was cut off throws.
   * @throws {StoreUnavailable} the log is away, or was closed or cut off in the midst of it
   * @throws {LogContradiction} events of the stream are missing
   */
  read(streamId: string, options?: ReadOptions): AsyncIterable<RecordedEvent>;

  /**
   * Catch-up, then live: pages in commit order, pulled, so that a slow reader slows itself and nobody else.
   * An empty page is given at once when there is nothing to catch up with, so that a reader knows that it is. Ends only
   * by its signal, or when the log is closed; a subscription that was cut off goes on after what it has given, or throws.
   */
  subscribe(options: SubscribeOptions): AsyncIterable<EventPage>;

  /** The position of the last event, or null in an empty log. */
  head(): Promise<string | null>;

  /**
   * Whether the text has the form of a position of this engine. What was fed from the log of another one shows by it
   * after a move; whether the log reaches so far is not asked.
   */
  knows(position: string): boolean;

  /** By which followers know the log again. */
  readonly marks: LogMarks;

  /**
   * Resolves if appends can be made now, which it tries where none was made a moment ago. Absent where {@link head}
   * tells as much.
   * @throws {StoreUnavailable | OutcomeUnknown} which says why not
   */
  checkWritable?(): Promise<void>;

  /**
   * The same log for somebody who wants an answer by this moment (`performance.now()`): by then its calls have one, or
   * have thrown. Absent where they take no time to speak of.
   */
  within?(untilMs: number): EventStore;

  /** Finishes what was accepted, ends the subscriptions and refuses what comes later. */
  close(): Promise<void>;
}

/** The log cannot be reached or written (disk full, read-only, away). Nothing was written. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';
}

/** The log's server does not let us do something; the message says who may not do what, and nothing that is secret. */
export class NotPermitted extends StoreUnavailable {
  override readonly name = 'NotPermitted';
}

/**
 * The log gave less than it is known to hold: it was read at a bad moment, or has lost something. To be tried again, and
 * never an answer: what must be there is not absent.
 */
export class LogContradiction extends StoreUnavailable {
  override readonly name = 'LogContradiction';
}

/** The log is not the one that its followers have seen, or has lost events of it. Nothing is written to it. */
export class LogLost extends StoreUnavailable {
  override readonly name = 'LogLost';
}

/** What the log gives back is not what was written: the message names the position or the stream. */
export class StoreDamaged extends StoreUnavailable {
  override readonly name = 'StoreDamaged';
  /** Of the event that cannot be read, where that is known. */
  readonly position: string | null;
  constructor(message: string, position: string | null = null, options?: ErrorOptions) {
    super(message, options);
    this.position = position;
  }
}

/** The log took the request and gave no answer: only the identical request again can tell. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

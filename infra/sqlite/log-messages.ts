/** What passes between the event loop and the worker that writes: plain arrays, which are cheap to copy. */
import type { OpenFiles } from './open-files.ts';

/** An event, its data and meta already JSON text. */
export type EventRow = readonly [
  id: string,
  type: string,
  version: number,
  at: string,
  data: string,
  meta: string,
];

/** These rows after this revision of the stream. */
export type AppendRequest = readonly [streamId: string, expectedRevision: number, rows: readonly EventRow[]];

/**
 * Append, and where that went through the dependents; or, for a reader of the log, keep where it is; or write what changes
 * nothing, so that whoever asks knows whether anything can be written.
 */
export type WriteRequest =
  | readonly [kind: 'append', first: AppendRequest, dependents: readonly AppendRequest[]]
  | readonly [kind: 'checkpoint', name: string, position: string]
  /** The identity of the log that this one is a copy of. */
  | readonly [kind: 'identity', logId: string]
  | readonly [kind: 'probe'];

/** Where the last event of an append is. */
export type Place = readonly [revision: number, position: number];

/** What became of one request, once its group was committed. */
export type WriteOutcome =
  | readonly [kind: 'appended', last: Place, dependents: readonly (Place | null)[]]
  | readonly [kind: 'conflict', actualRevision: number]
  | readonly [kind: 'kept']
  /** A request that no healthy program makes, such as an event id that is already elsewhere in the log. */
  | readonly [kind: 'broken', message: string];

/** What became of a group. */
export type GroupAnswer =
  | { readonly kind: 'committed'; readonly outcomes: readonly WriteOutcome[] }
  /** Nothing was written. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Only the identical requests again can tell. */
  | { readonly kind: 'unknown'; readonly message: string };

/** To the worker: the next group, or null to finish. */
export type ToWriter = readonly WriteRequest[] | null;

export type FromWriter =
  | GroupAnswer
  | { readonly kind: 'checkpointFailed'; readonly message: string }
  /** The files were removed or replaced; or, with null, they are back in their place. */
  | { readonly kind: 'displaced'; readonly message: string | null }
  /** The file beside the log that says where it ends cannot be written; or, with null, it can again. */
  | { readonly kind: 'witness'; readonly message: string | null };

export interface WriterSettings {
  readonly path: string;
  /** The files that the log's readers have open; by default those that the worker finds. */
  readonly files?: OpenFiles | undefined;
  /** A descriptor of the log, to read what of it is on the disk; it is closed after every connection of the process. */
  readonly mainFile?: number | undefined;
  /** Other databases whose WAL the worker copies back, so that no event loop has to. */
  readonly maintain: readonly string[];
}

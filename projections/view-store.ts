/**
 * The port to the read models. A view is a collection of JSON documents with declared index fields; only what every
 * engine answers by index is asked of it. Every adapter passes test/contract/view-store.contract.ts.
 *
 * A view exists in generations: one is live, another may be built beside it and swapped in. A view that was never built
 * has none that is live, and its readers are told so. Each generation has its own checkpoint, and every commit names the
 * checkpoint it starts from, so that two projectors cannot both move it.
 *
 * Order: texts compare by code point, integers by size, and null comes last in both directions.
 */
import type { LogMark } from '../events/log-mark.ts';

export type FieldType = 'text' | 'integer' | 'texts';
export type FieldValue = string | number | readonly string[] | null;

export interface OrderTerm {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

export interface CollectionSpec {
  readonly name: string;
  /** Raised when documents or fields change their shape: a new generation is then built beside the live one. */
  readonly version: number;
  /** What can be filtered and sorted by. `texts` hold several values and match when one of them is equal. */
  readonly fields: Readonly<Record<string, FieldType>>;
  /**
   * The named sort orders over text and integer fields; the document's key breaks ties in each (ascending). The first
   * is the one most asked for: engines serve it best. The order named `relevance`, where declared, is for searches
   * alone: how telling the matching words are comes first (see WordBands), and its terms break ties. The order named
   * `position`, where declared, is for mirrors: no row is ever shown that stands before one that was shown earlier.
   */
  readonly orders: Readonly<Record<string, readonly OrderTerm[]>>;
  /** Whether documents carry words. */
  readonly searchable?: boolean;
}

/**
 * The words by which a search finds a document (words.ts), most telling first: the name, what else tells, the rest.
 * A document ranks by the first band with which all words of a search are found.
 */
export type WordBands = readonly [readonly string[], readonly string[], readonly string[]];

export interface IndexedDocument {
  /** The document as it is served: stored and handed back as this very text. */
  readonly json: string;
  /** A field that is left out is null (or holds no texts). */
  readonly fields: Readonly<Record<string, FieldValue>>;
  /** Null in a collection that is not searchable. */
  readonly words: WordBands | null;
}

export interface ViewWrite {
  readonly key: string;
  /** Null removes the document. */
  readonly document: IndexedDocument | null;
  /** The event that changed it last: a store without transactions ignores writes that are not newer. */
  readonly position: string;
  /** Whether there is none with this key as far as the writer knows: a help to stores, which may be wrong. */
  readonly isNew?: boolean;
}

export interface ViewCommit {
  readonly view: string;
  readonly generation: number;
  /** Where the generation must stand for this commit to count (null: nothing delivered yet). */
  readonly from: string | null;
  readonly to: string;
  readonly writes: readonly ViewWrite[];
  /** The last event up to `to`, kept with it; left out where that is not known, and then the mark before stays. */
  readonly mark?: LogMark;
}

/** What a generation knows of the log that it was made from. */
export interface ViewMark {
  readonly view: string;
  readonly generation: number;
  readonly checkpoint: string | null;
  readonly mark: LogMark | null;
}

/** An event that a view could not take: it stands still there until a person mends or skips it. */
export interface StuckAt {
  readonly position: string;
  readonly eventId: string;
  readonly error: string;
  readonly at: string;
}

/** A person's decision that a view goes on without an event; it holds for later generations too. */
export interface SkippedEvent {
  readonly view: string;
  readonly eventId: string;
  readonly by: string;
  readonly reason: string;
  readonly at: string;
}

export interface GenerationStatus {
  readonly view: string;
  readonly version: number;
  /** Never used again, also when the generation is gone. */
  readonly generation: number;
  readonly live: boolean;
  /** How many there are; known only once it is readable. */
  readonly documents: number;
  readonly checkpoint: string | null;
  readonly stuck: StuckAt | null;
}

/** Equality, or a range over an integer field (both ends inclusive). */
export type Condition = string | number | { readonly min?: number; readonly max?: number };

export interface PageQuery {
  readonly filter: Readonly<Record<string, Condition>>;
  /** One of the collection's orders. */
  readonly order: string;
  readonly limit: number;
  /** Of all its rows, in UTF-8: a page that would have more ends before its limit, but not before its first row. */
  readonly maxBytes?: number;
  /** The `next` of the page before: the sort values and key of its last row. */
  readonly after?: Keyset;
  /** Every word must match a word of the document as its beginning. Texts without any word match nothing. */
  readonly words?: readonly string[];
}

/** The order's values and then the key of a row; `relevance` begins with the band. */
export type Keyset = readonly (string | number | null)[];

export interface Page {
  /** Documents as stored JSON texts. */
  readonly rows: readonly string[];
  /** Continue after this; null when no row follows. */
  readonly next: Keyset | null;
  /** How many rows match in all. */
  readonly total: number;
}

/** A generation as it was at one moment, however long it is read and whatever is written meanwhile. */
export interface ViewSnapshot {
  readonly generation: number;
  /** As the store's own. */
  page(query: PageQuery): Promise<Page>;
  /** To be called soon: what is written meanwhile takes room until then. */
  close(): Promise<void>;
}

/** Who waits for a page. A call of an operation is one. */
export interface Asking {
  /** Where questions wait for one another, those of one asker take turns with others'. */
  readonly asker?: string | undefined;
  /** Those with a key and those without take turns, however many there are of either. */
  readonly hasKey?: boolean | undefined;
  /** Aborted when nobody wants the page any more: a question that has not begun then never is. */
  readonly signal: AbortSignal;
  /** By `performance.now()`: a question that has not begun then never is. */
  readonly untilMs?: number | undefined;
}

export interface ViewStore {
  /**
   * Tells of the collections that this program knows, and answers with the generations there are. A view whose live
   * generation has another version than its spec keeps serving it meanwhile.
   * @throws {RangeError} fields or orders were changed and the version was not raised
   */
  open(specs: readonly CollectionSpec[]): Promise<readonly GenerationStatus[]>;
  /**
   * Gives each of these views that has no live generation an empty one that is live at once, for a log that is empty
   * too. Where another process is just doing the same, one of them stays.
   */
  beginLive(specs: readonly CollectionSpec[]): Promise<void>;

  /**
   * The live document of this key as its stored JSON text.
   * @throws {RangeError} there is no such view
   * @throws {ViewBeingBuilt}
   */
  getJson(view: string, key: string): Promise<string | undefined>;
  /**
   * A page of the live generation.
   * @param asking who waits for it, where questions wait for one another
   * @throws {RangeError} a view, order, field, condition or keyset that no spec knows
   * @throws {ViewBeingBuilt}
   * @throws {ViewsUnavailable} also when the spec knows the order or field and the live generation, being older, not
   * @throws {PageAbandoned} whoever asked has gone
   */
  page(view: string, query: PageQuery, asking?: Asking): Promise<Page>;

  /**
   * The live generation as it is now, for whoever reads all of it. Absent where the engine has no such reads.
   * @throws as {@link page}
   */
  snapshot?(view: string): Promise<ViewSnapshot>;

  /** The stored JSON of these keys in one generation, for the projector to build upon; none when that is gone. */
  load(view: string, generation: number, keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Writes documents and moves checkpoints, all together where the engine can, and each view's together always.
   * Answers with the views whose generation does not stand at `from` (any more) or is gone: nothing of those was
   * written. Each document is written at most once in a commit.
   */
  commit(commits: readonly ViewCommit[]): Promise<readonly string[]>;

  /** A new, empty generation that is not live. */
  beginGeneration(spec: CollectionSpec): Promise<GenerationStatus>;
  /**
   * Makes what only reading needs, such as indexes; a generation that is being filled does without them. It may take a
   * while, and is done at once the second time. Commits may go on meanwhile.
   */
  makeReadable(view: string, generation: number): Promise<void>;
  /** Makes the generation the live one and drops the view's others; false when it is gone. */
  promote(view: string, generation: number): Promise<boolean>;
  /** Removes a generation that is not live, for instance one whose rebuild was interrupted. */
  dropGeneration(view: string, generation: number): Promise<void>;
  /**
   * Removes every generation of every view, the live ones too: they were made from another log. What people decided to
   * skip stays. Broken off, it is to be asked for again.
   */
  forgetAll(): Promise<void>;
  /** Records that the generation stands still, or (null) that it goes on. */
  setStuck(view: string, generation: number, stuck: StuckAt | null): Promise<void>;
  /** Records the decision; the same one again changes nothing. */
  skip(skipped: SkippedEvent): Promise<void>;
  skipped(): Promise<readonly SkippedEvent[]>;
  /** All generations there are, live or not, also of views that this program does not know. */
  status(): Promise<readonly GenerationStatus[]>;
  /** Of the log, by each generation that there is: to be compared with it. */
  marks(): Promise<readonly ViewMark[]>;

  /**
   * Resolves if views can be written now, which it tries. Absent where {@link status} tells as much.
   * @throws {ViewsUnavailable} which says why not
   */
  checkWritable?(): Promise<void>;

  close(): Promise<void>;
}

/** The engine behind the views cannot be reached or written. Reads and writes may be tried again later. */
export class ViewsUnavailable extends Error {
  override readonly name: string = 'ViewsUnavailable';
}

/** The view has no live generation yet, or its engine has lost it. Reads may be tried again once it is whole. */
export class ViewBeingBuilt extends ViewsUnavailable {
  override readonly name = 'ViewBeingBuilt';

  constructor(view: string) {
    super(`the view ${view} is being built from the log`);
  }
}

/** Whoever asked for the page has gone: it was not looked for. */
export class PageAbandoned extends ViewsUnavailable {
  override readonly name = 'PageAbandoned';

  constructor() {
    super('nobody waits for this page any more');
  }
}

/** The view does not show yet, or cannot, what the log held when it was asked. Reads may be tried again in a moment. */
export class ViewBehind extends ViewsUnavailable {
  override readonly name = 'ViewBehind';

  constructor(view: string) {
    super(`the view ${view} is behind the log`);
  }
}

/**
 * Where our log begins and ends in a database that others write to as well. The client cannot ask the server for the
 * last of our events, so the end is searched backwards through everybody's; what was searched once is remembered, in
 * this process and, after a long search, in the database.
 */
import { END } from '@eventstore/db-client';
import { z } from 'zod';
import { StoreUnavailable } from '../../events/event-store.ts';
import type { Connection } from './connection.ts';
import { type LatestValue, latestValue } from './latest-value.ts';
import { BEGINNING, compare, fromText, type LogPosition, toText } from './position.ts';
import { type Placed, readLogPage } from './read-pages.ts';

/** The first page is small, since most ask again and again. */
const FIRST_PAGE_EVENTS = 8;
const RESUMED_PAGE_EVENTS = 64;
/** After so long a search, in all, or one of so many events, it is worth remembering for others than this process. */
const LONG_SEARCH_MS = 500;

/** How much of others' events is looked at. */
export interface SearchBounds {
  /** In one page. */
  readonly pageEvents: number;
  /** They may be large: about so much of them comes in one page. */
  readonly pageBytes: number;
  /** After so many the place is kept in the database. */
  readonly longEvents: number;
}

const BOUNDS: SearchBounds = { pageEvents: 1_000, pageBytes: 1_000_000, longEvents: 5_000 };

const POSITION = z.string().transform(fromText);
/** A stretch that was searched in vain when the time was up: nothing of ours is after `cursor`, up to `top`. */
const STRETCH = z.object({ top: POSITION, cursor: POSITION });
const MARK = z.object({
  origin: POSITION,
  searched: POSITION,
  last: POSITION.nullable(),
  stretch: STRETCH.optional(),
});
type Mark = z.output<typeof MARK>;
type Stretch = z.output<typeof STRETCH>;

/** The search takes longer than a call may: the next one goes on where it stopped. */
class Unfinished extends StoreUnavailable {}

/** Moments of `performance.now()`. */
interface Bounds {
  /** No further page is begun after it. */
  readonly enoughMs: number;
  /** Nobody wants an answer after it. */
  readonly untilMs: number;
}

type Descent =
  | { readonly kind: 'found'; readonly position: LogPosition; readonly top: LogPosition }
  /** Came to the floor. `top` is where the log ended, or the floor if that was so. */
  | { readonly kind: 'nothing'; readonly top: LogPosition }
  | ({ readonly kind: 'unfinished' } & Stretch);

export class LogEnd {
  /** None of our events is at or before it: the installation was begun there. */
  readonly origin: LogPosition;
  readonly #connection: Connection;
  readonly #prefix: string;
  readonly #latest: LatestValue;
  readonly #search: SearchBounds;
  /** The last of our events at or before `#searched`. */
  #last: LogPosition | null;
  #searched: LogPosition;
  #stretch: Stretch | undefined;
  #othersSince = 0;
  #searchingMs = 0;

  private constructor(
    connection: Connection,
    prefix: string,
    latest: LatestValue,
    mark: Mark,
    search: SearchBounds,
  ) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#latest = latest;
    this.#search = search;
    this.origin = mark.origin;
    this.#last = mark.last;
    this.#searched = mark.searched;
    this.#stretch = mark.stretch;
  }

  /**
   * Begins the installation in this database if nobody has, and searches the end for as long as it takes.
   * @throws {StoreUnavailable}
   */
  static async open(connection: Connection, prefix: string, search = BOUNDS): Promise<LogEnd> {
    const latest = latestValue(connection, `end-of-${prefix}log`, 'LogSearched');
    const page = { direction: 'backwards', from: END, maxCount: 1 } as const;
    // Also where it is not needed: it tells whether we may read the log.
    const [last] = await readLogPage(connection, page);
    let mark = await latest.get();
    if (mark === null) {
      const end = toText(last?.position ?? BEGINNING);
      // Every process does this before its first append, so nothing of ours can be before the first of these.
      await latest.begin({ origin: end, searched: end, last: null });
      mark = await latest.get();
    }
    const end = new LogEnd(connection, prefix, latest, MARK.parse(mark), search);
    while (!(await end.#isFound())) await end.#keep();
    return end;
  }

  /** To be told of our events as they are seen: the end is not before them. */
  note(position: LogPosition): void {
    if (compare(position, this.#searched) > 0) this.#remember(position, position);
  }

  /**
   * The position of the last of our events, null when there is none.
   * @param untilMs when an answer is wanted, by `performance.now()`
   * @throws {StoreUnavailable} the server is away, or so much of others lies behind the last of ours that the search
   *   takes longer than a call may: the next one goes on where it stopped
   */
  async find(untilMs = Infinity): Promise<LogPosition | null> {
    const startMs = performance.now();
    const enoughMs = startMs + this.#connection.deadlineMs;
    try {
      return await this.#find({ enoughMs, untilMs });
    } finally {
      this.#searchingMs += performance.now() - startMs;
    }
  }

  async #isFound(): Promise<boolean> {
    try {
      await this.find();
      return true;
    } catch (error) {
      if (error instanceof Unfinished) return false;
      throw error;
    }
  }

  async #find(bounds: Bounds): Promise<LogPosition | null> {
    const stretch = this.#stretch;
    const recent = await this.#descend(END, stretch?.top ?? this.#searched, FIRST_PAGE_EVENTS, bounds);
    if (recent.kind !== 'nothing' || stretch === undefined) return this.#conclude(recent, bounds);
    const older = await this.#descend(stretch.cursor, this.#searched, RESUMED_PAGE_EVENTS, bounds);
    return this.#conclude({ ...older, top: recent.top }, bounds);
  }

  async #conclude(descent: Descent, { untilMs }: Bounds): Promise<LogPosition | null> {
    if (descent.kind === 'unfinished') {
      this.#stretch = descent;
      throw new Unfinished(
        `the end of the log is still being searched for among ${this.#othersSince} events of others in EventStoreDB`,
      );
    }
    this.#stretch = undefined;
    const last = descent.kind === 'found' ? descent.position : this.#last;
    if (compare(descent.top, this.#searched) > 0) this.#remember(descent.top, later(last, this.#last));
    const isLong = this.#searchingMs >= LONG_SEARCH_MS && this.#othersSince >= RESUMED_PAGE_EVENTS;
    if (isLong || this.#othersSince >= this.#search.longEvents) await this.#keep(untilMs);
    return this.#last;
  }

  /** Looks at everybody's events from `from` backwards, down to `floor`. */
  async #descend(
    from: LogPosition | typeof END,
    floor: LogPosition,
    firstPageEvents: number,
    { enoughMs, untilMs }: Bounds,
  ): Promise<Descent> {
    let cursor = from;
    let top: LogPosition | undefined;
    let maxCount = firstPageEvents;
    for (;;) {
      const where = { direction: 'backwards', from: cursor, maxCount } as const;
      const page = await readLogPage(this.#connection, where, untilMs);
      for (const { stream, position } of page) {
        top ??= position;
        if (compare(position, floor) <= 0) return { kind: 'nothing', top };
        if (stream.startsWith(this.#prefix)) return { kind: 'found', position, top };
        cursor = position;
      }
      this.#othersSince += page.length;
      if (top === undefined || cursor === END || page.length < maxCount)
        return { kind: 'nothing', top: top ?? floor };
      if (performance.now() > Math.min(enoughMs, untilMs)) return { kind: 'unfinished', top, cursor };
      maxCount = nextCount(page, maxCount, this.#search);
    }
  }

  #remember(searched: LogPosition, last: LogPosition | null): void {
    this.#searched = searched;
    this.#last = last;
  }

  async #keep(untilMs?: number): Promise<void> {
    this.#othersSince = 0;
    this.#searchingMs = 0;
    const last = this.#last === null ? null : toText(this.#last);
    const { top, cursor } = this.#stretch ?? {};
    const stretch = top && cursor && { stretch: { top: toText(top), cursor: toText(cursor) } };
    const mark = { origin: toText(this.origin), searched: toText(this.#searched), last, ...stretch };
    await this.#latest.set(mark, untilMs);
  }
}

/** More than the last time, unless what comes is large. */
function nextCount(
  page: readonly Placed[],
  maxCount: number,
  { pageEvents, pageBytes }: SearchBounds,
): number {
  const bytes = page.reduce((sum, placed) => sum + placed.bytes, 0);
  const fitting = Math.floor((pageBytes * page.length) / Math.max(1, bytes));
  return Math.max(1, Math.min(maxCount * 4, pageEvents, fitting));
}

function later(a: LogPosition | null, b: LogPosition | null): LogPosition | null {
  if (a === null || b === null) return a ?? b;
  return compare(a, b) >= 0 ? a : b;
}

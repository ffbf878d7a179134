/**
 * Pages of a stream and of `$all`, as the server's own readers cut them.
 * Source: EventStore.Core/Services/Storage/ReaderIndex/{IndexReader,AllReader}.cs.
 */
import type { EventFilter } from './event-filter.ts';
import type { Ledger, StoredEvent } from './ledger.ts';
import { isSoftDeleted, visibleEvents } from './stream-metadata.ts';

/** How many events the server reads at a time, whatever the client asked for. */
export const READ_BATCH_EVENTS = 32;

export interface Position {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** The very beginning of the log; no event stands before it. */
export const START: Position = { commit: 0n, prepare: 0n };

export type StreamPage =
  | {
      readonly kind: 'page';
      readonly events: readonly StoredEvent[];
      readonly next: bigint;
      readonly isEnd: boolean;
    }
  | { readonly kind: 'no-stream' }
  | { readonly kind: 'deleted' };

export interface AllPage {
  readonly events: readonly StoredEvent[];
  /** How many events the filter looked at. */
  readonly considered: number;
  /** Where the page began. */
  readonly from: Position;
  readonly next: Position;
  /** Whether the page had room for more. One that ends just where the log does cannot know that it is the last. */
  readonly isEnd: boolean;
}

export function comparePositions(a: Position, b: Position): number {
  const [left, right] = a.commit === b.commit ? [a.prepare, b.prepare] : [a.commit, b.commit];
  return left < right ? -1 : Number(left > right);
}

export function positionOf({ position }: StoredEvent): Position {
  return { commit: position, prepare: position };
}

/** Whether a record begins or will begin there: the server refuses the midst of one, and what is beyond the end. */
export function isReadable(ledger: Ledger, { commit }: Position): boolean {
  if (commit === START.commit || commit === ledger.end() || ledger.isBlankAt(commit)) return true;
  return ledger.log[firstIndex(ledger.log, ({ position }) => position >= commit)]?.position === commit;
}

/** Up to a page from revision `from` on, inclusive. */
export function readStreamForwards(ledger: Ledger, stream: string, from: bigint, now: Date): StreamPage {
  return readStream(ledger, stream, now, (visible) => {
    const start = firstIndex(visible, (event) => event.revision >= from);
    const events = visible.slice(start, start + READ_BATCH_EVENTS);
    const next = (events.at(-1)?.revision ?? from - 1n) + 1n;
    return { kind: 'page', events, next, isEnd: start + events.length >= visible.length };
  });
}

/** Up to a page from revision `from` down, inclusive; from the stream's end when null. */
export function readStreamBackwards(
  ledger: Ledger,
  stream: string,
  from: bigint | null,
  now: Date,
): StreamPage {
  return readStream(ledger, stream, now, (visible) => {
    const end = from === null ? visible.length : firstIndex(visible, (event) => event.revision > from);
    const start = Math.max(0, end - READ_BATCH_EVENTS);
    const events = visible.slice(start, end).reverse();
    return { kind: 'page', events, next: (events.at(-1)?.revision ?? 0n) - 1n, isEnd: start === 0 };
  });
}

function readStream(
  ledger: Ledger,
  stream: string,
  now: Date,
  cut: (visible: readonly StoredEvent[]) => StreamPage,
): StreamPage {
  if (ledger.isTombstoned(stream)) return { kind: 'deleted' };
  if (ledger.headOf(stream) < 0n || isSoftDeleted(ledger, stream)) return { kind: 'no-stream' };
  return cut(visibleEvents(ledger, stream, now));
}

/** Up to `limit` events of `$all` from `from` on, inclusive, having looked at `window` events at most. */
export function readAllForwards(
  ledger: Ledger,
  from: Position,
  filter: EventFilter,
  window: number,
  limit = READ_BATCH_EVENTS,
): AllPage {
  const start = firstIndex(ledger.log, (event) => comparePositions(positionOf(event), from) >= 0);
  const events: StoredEvent[] = [];
  let considered = 0;
  let next = from;
  while (events.length < limit && considered < window) {
    const event = ledger.log[start + considered];
    if (event === undefined) return { events, considered, from, next, isEnd: true };
    considered += 1;
    next = { commit: event.nextPosition, prepare: 0n };
    if (filter(event)) events.push(event);
  }
  return { events, considered, from, next, isEnd: false };
}

/** As forwards, from `from` down and exclusive: going backwards a position is the end of a record. */
export function readAllBackwards(
  ledger: Ledger,
  from: Position,
  filter: EventFilter,
  window: number,
): AllPage {
  const end = firstIndex(ledger.log, (event) => comparePositions(positionOf(event), from) >= 0);
  const events: StoredEvent[] = [];
  let considered = 0;
  let next = from;
  while (events.length < READ_BATCH_EVENTS && considered < window) {
    const event = ledger.log[end - 1 - considered];
    if (event === undefined) return { events, considered, from, next, isEnd: true };
    considered += 1;
    next = positionOf(event);
    if (filter(event)) events.push(event);
  }
  return { events, considered, from, next, isEnd: false };
}

/** The index of the first item that `isAfter` holds for, in a list where it holds for all later ones too. */
function firstIndex<T>(sorted: readonly T[], isAfter: (item: T) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = sorted[middle];
    if (item === undefined || isAfter(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}

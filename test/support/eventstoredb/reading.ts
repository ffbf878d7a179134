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

/** Before the first event. */
export const BEFORE_ALL: Position = { commit: -1n, prepare: -1n };

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
  readonly isEnd: boolean;
}

export function comparePositions(a: Position, b: Position): number {
  const [left, right] = a.commit === b.commit ? [a.prepare, b.prepare] : [a.commit, b.commit];
  return left < right ? -1 : Number(left > right);
}

export function positionOf({ position }: StoredEvent): Position {
  return { commit: position, prepare: position };
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

/** Up to a page of `$all` from `from` on, inclusive, having looked at `window` events at most. */
export function readAllForwards(
  ledger: Ledger,
  from: Position,
  filter: EventFilter,
  window = READ_BATCH_EVENTS,
): AllPage {
  const start = firstIndex(ledger.log, (event) => comparePositions(positionOf(event), from) >= 0);
  const looked: StoredEvent[] = [];
  const events: StoredEvent[] = [];
  for (let i = start; i < ledger.log.length; i += 1) {
    if (events.length >= READ_BATCH_EVENTS || looked.length >= window) break;
    const event = ledger.log[i]!;
    looked.push(event);
    if (filter(event)) events.push(event);
  }
  const last = looked.at(-1);
  return {
    events,
    considered: looked.length,
    from,
    next: last === undefined ? from : { commit: last.nextPosition, prepare: 0n },
    // Looked for only when there is room left in the page: a page that ends with the log does not know it yet.
    isEnd: events.length < READ_BATCH_EVENTS && looked.length < window,
  };
}

/** Up to a page of `$all` from `from` down, exclusive: a position given here is that of the end of a record. */
export function readAllBackwards(
  ledger: Ledger,
  from: Position,
  filter: EventFilter,
  window = READ_BATCH_EVENTS,
): AllPage {
  const end = firstIndex(ledger.log, (event) => comparePositions(positionOf(event), from) >= 0);
  const looked: StoredEvent[] = [];
  const events: StoredEvent[] = [];
  for (let i = end - 1; i >= 0; i -= 1) {
    if (events.length >= READ_BATCH_EVENTS || looked.length >= window) break;
    const event = ledger.log[i]!;
    looked.push(event);
    if (filter(event)) events.push(event);
  }
  const last = looked.at(-1);
  return {
    events,
    considered: looked.length,
    from,
    next: last === undefined ? from : positionOf(last),
    isEnd: events.length < READ_BATCH_EVENTS && looked.length < window,
  };
}

/** The index of the first item that `isAfter` holds for, in a list where it holds for all after that one too. */
function firstIndex<T>(sorted: readonly T[], isAfter: (item: T) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAfter(sorted[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

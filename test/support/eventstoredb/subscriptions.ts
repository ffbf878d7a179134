/**
 * Catch-up subscriptions: confirmation, what is there already, `caughtUp`, then what comes.
 * Source: EventStore.Core/Services/Transport/Enumerators/Enumerator.{AllSubscriptionFiltered,StreamSubscription}.cs
 * and SubscriptionsService.cs.
 */
import { randomUUID } from 'node:crypto';
import { EVERY_EVENT, type EventFilter } from './event-filter.ts';
import type { Ledger, StoredEvent } from './ledger.ts';
import { liveQueue } from './live-queue.ts';
import {
  BEFORE_ALL,
  comparePositions,
  type Position,
  positionOf,
  readAllForwards,
  readStreamForwards,
} from './reading.ts';

export type SubscriptionMessage =
  | { readonly kind: 'confirmed'; readonly id: string }
  | { readonly kind: 'event'; readonly event: StoredEvent }
  | { readonly kind: 'checkpoint'; readonly position: Position }
  | { readonly kind: 'caught-up' }
  | { readonly kind: 'fell-behind' }
  /** The stream was tombstoned; nothing follows. */
  | { readonly kind: 'deleted' };

export interface AllFilter {
  readonly allows: EventFilter;
  /** How many events one page looks at. */
  readonly window: number;
  /** A checkpoint is due after this many pages. */
  readonly checkpointMultiplier: number;
}

/** Follows `$all` after `after`, exclusive; from the beginning when it is `start`, or only what comes when `end`. */
export async function* subscribeToAll(
  ledger: Ledger,
  after: Position | 'start' | 'end',
  filter: AllFilter | null,
  signal: AbortSignal,
): AsyncGenerator<SubscriptionMessage> {
  const allows = filter?.allows ?? EVERY_EVENT;
  const interval = filter === null ? null : filter.window * filter.checkpointMultiplier;
  const lastAtStart: Position = { commit: ledger.lastPosition(), prepare: ledger.lastPosition() };
  const live = liveQueue(ledger, { allows, checkpointEvery: interval }, signal);
  try {
    yield { kind: 'confirmed', id: randomUUID() };
    // The event or checkpoint that was given last.
    let given = after === 'start' ? BEFORE_ALL : after === 'end' ? lastAtStart : after;
    let isLive = comparePositions(given, lastAtStart) >= 0;
    let sequence = 0;
    while (!signal.aborted) {
      if (!isLive) given = yield* catchUpWithAll(ledger, given, filter);
      yield { kind: 'caught-up' };
      const left = yield* goLive(given, sequence, live);
      if (left === null) return;
      ({ given, sequence } = left);
      isLive = false;
      yield { kind: 'fell-behind' };
      if (filter !== null) yield { kind: 'checkpoint', position: given };
    }
  } finally {
    live.stop();
  }
}

async function* catchUpWithAll(
  ledger: Ledger,
  from: Position,
  filter: AllFilter | null,
): AsyncGenerator<SubscriptionMessage, Position> {
  let given = from;
  let next: Position = comparePositions(from, BEFORE_ALL) === 0 ? { commit: 0n, prepare: 0n } : from;
  let considered = 0;
  const interval = filter === null ? Number.POSITIVE_INFINITY : filter.window * filter.checkpointMultiplier;
  while (true) {
    const page = readAllForwards(ledger, next, filter?.allows ?? EVERY_EVENT, filter?.window);
    for (const event of page.events) {
      // Only the very first can be: pages begin at a position, inclusive.
      if (comparePositions(positionOf(event), given) <= 0) continue;
      yield { kind: 'event', event };
      given = positionOf(event);
    }
    considered += page.considered;
    if (page.isEnd) {
      // Where the last event given stands, not where the log ends.
      if (filter !== null) yield { kind: 'checkpoint', position: given };
      return given;
    }
    if (considered >= interval) {
      considered %= interval;
      if (comparePositions(given, page.from) < 0) given = page.from;
      yield { kind: 'checkpoint', position: given };
    }
    next = page.next;
  }
}

/** Gives what the queue holds until it has lost something; null when the subscription ends. */
async function* goLive(
  from: Position,
  seen: number,
  live: ReturnType<typeof liveQueue>,
): AsyncGenerator<SubscriptionMessage, { given: Position; sequence: number } | null> {
  let given = from;
  let sequence = seen;
  while (true) {
    const item = await live.next();
    if (item === null) return null;
    const isNext = item.sequence === sequence + 1;
    sequence = item.sequence;
    const order = comparePositions(item.position, given);
    if (item.event === null ? order < 0 : order <= 0) continue;
    if (!isNext) return { given, sequence };
    if (item.event === null) yield { kind: 'checkpoint', position: item.position };
    else yield { kind: 'event', event: item.event };
    given = item.position;
  }
}

/** Follows one stream after revision `after`, exclusive; from its beginning when null, or only what comes. */
export async function* subscribeToStream(
  ledger: Ledger,
  stream: string,
  after: bigint | null | 'end',
  signal: AbortSignal,
): AsyncGenerator<SubscriptionMessage> {
  const live = liveQueue(
    ledger,
    { allows: (event) => event.stream === stream, checkpointEvery: null },
    signal,
  );
  try {
    yield { kind: 'confirmed', id: randomUUID() };
    let given = after === 'end' ? ledger.headOf(stream) : (after ?? -1n);
    while (!signal.aborted) {
      while (true) {
        const page = readStreamForwards(ledger, stream, given + 1n, new Date());
        if (page.kind === 'deleted') return yield { kind: 'deleted' };
        if (page.kind === 'no-stream') break;
        for (const event of page.events) {
          yield { kind: 'event', event };
          given = event.revision;
        }
        if (page.isEnd) break;
      }
      yield { kind: 'caught-up' };
      let sequence = 0;
      while (true) {
        const item = await live.next();
        if (item === null) return;
        if (item.event !== null && item.event.type === '$streamDeleted') return yield { kind: 'deleted' };
        const isNext = sequence === 0 || item.sequence === sequence + 1;
        sequence = item.sequence;
        if (item.event === null || item.event.revision <= given) continue;
        if (!isNext) break;
        yield { kind: 'event', event: item.event };
        given = item.event.revision;
      }
      yield { kind: 'fell-behind' };
    }
  } finally {
    live.stop();
  }
}

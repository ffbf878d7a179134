/**
 * Catch-up subscriptions to `$all`: confirmation, what is there already, `caughtUp`, then what comes.
 * Source: Enumerator.AllSubscription.cs and Enumerator.AllSubscriptionFiltered.cs under
 * EventStore.Core/Services/Transport: of commit 0923c56 for 23.10, and since pull request 4135 for 24.2 and later.
 */
import { type EventFilter, shownInAll } from './event-filter.ts';
import type { Ledger } from './ledger.ts';
import { type LiveItem, type LiveQueue, liveQueue } from './live-queue.ts';
import {
  comparePositions,
  type Position,
  positionOf,
  READ_BATCH_EVENTS,
  readAllForwards,
  START,
} from './reading.ts';
import { type AllFilter, confirmed, type Subscription, type SubscriptionMessage } from './subscription.ts';

/** How the later servers write "nothing given yet". They tell it to clients as the greatest position there is. */
const NOTHING_GIVEN: Position = { commit: -1n, prepare: -1n };

interface Terms {
  readonly allows: EventFilter;
  readonly window: number;
  /** Null when no checkpoints are due. */
  readonly checkpointEvery: number | null;
}

function termsOf(filter: AllFilter | null): Terms {
  if (filter === null) return { allows: shownInAll, window: READ_BATCH_EVENTS, checkpointEvery: null };
  const { allows, window, checkpointMultiplier } = filter;
  return { allows, window, checkpointEvery: window * checkpointMultiplier };
}

/** As 23.10 does: a subscriber that cannot keep up with what comes is dropped. */
export async function* subscribeToAllOrDrop(
  ledger: Ledger,
  after: Position | 'start' | 'end',
  filter: AllFilter | null,
  signal: AbortSignal,
): Subscription {
  const terms = termsOf(filter);
  yield confirmed();
  let next = after === 'end' ? null : START;
  // It passes over the one event that stands at the position, or else over the next one after it.
  if (typeof after !== 'string' && comparePositions(after, START) > 0) {
    next = readAllForwards(ledger, after, shownInAll, 1, 1).next;
  }
  let considered = 0;
  while (next !== null) {
    const page = readAllForwards(ledger, next, terms.allows, terms.window);
    for (const event of page.events) yield { kind: 'event', event };
    considered += page.considered;
    if (page.isEnd && comparePositions(page.next, { commit: ledger.end(), prepare: 0n }) >= 0) break;
    next = page.next;
    if (page.isEnd || terms.checkpointEvery === null || considered < terms.checkpointEvery) continue;
    considered %= terms.checkpointEvery;
    const last = page.events.at(-1);
    yield { kind: 'checkpoint', position: last === undefined ? page.from : positionOf(last) };
  }
  // Nothing can be committed between the end of the last page and this: they are in one turn.
  const live = liveQueue(ledger, { ...terms, considered, overflow: 'end' }, signal);
  try {
    yield { kind: 'caught-up' };
    while (true) {
      const item = await live.next();
      if (item === null) return live.hasOverflown() ? 'too-slow' : 'gone';
      yield messageOf(item);
    }
  } finally {
    live.stop();
  }
}

/** As 24.2 and later do: a subscriber that cannot keep up is told that it fell behind, and catches up again. */
export async function* subscribeToAllOrFallBehind(
  ledger: Ledger,
  after: Position | 'start' | 'end',
  filter: AllFilter | null,
  signal: AbortSignal,
): Subscription {
  const terms = termsOf(filter);
  const last: Position = { commit: ledger.lastPosition(), prepare: ledger.lastPosition() };
  const live = liveQueue(ledger, { ...terms, overflow: 'drop-oldest' }, signal);
  try {
    yield confirmed();
    let given = after === 'start' ? NOTHING_GIVEN : after === 'end' ? last : after;
    let isLive = comparePositions(given, last) >= 0;
    let sequence = 0;
    while (true) {
      if (!isLive) given = yield* catchUp(ledger, given, terms);
      yield { kind: 'caught-up' };
      const left = yield* goLive(given, sequence, live);
      if (left === null) return 'gone';
      ({ given, sequence } = left);
      isLive = false;
      yield { kind: 'fell-behind' };
      if (terms.checkpointEvery !== null) yield { kind: 'checkpoint', position: given };
    }
  } finally {
    live.stop();
  }
}

/** Returns the event or checkpoint given last. */
async function* catchUp(
  ledger: Ledger,
  after: Position,
  { allows, window, checkpointEvery }: Terms,
): AsyncGenerator<SubscriptionMessage, Position> {
  let given = after;
  let told: Position | null = null;
  let next = comparePositions(after, START) < 0 ? START : after;
  let considered = 0;
  while (true) {
    const page = readAllForwards(ledger, next, allows, window);
    for (const event of page.events) {
      // Only the first of all can be: the first page begins at the position, inclusive.
      if (comparePositions(positionOf(event), given) <= 0) continue;
      yield { kind: 'event', event };
      given = positionOf(event);
    }
    considered += page.considered;
    if (page.isEnd) {
      // Where the last event given stands, not where the log ends.
      const isTold = told !== null && comparePositions(told, given) === 0;
      if (checkpointEvery !== null && !isTold) yield { kind: 'checkpoint', position: given };
      return given;
    }
    if (checkpointEvery !== null && considered >= checkpointEvery) {
      considered %= checkpointEvery;
      if (comparePositions(given, page.from) < 0) given = page.from;
      yield { kind: 'checkpoint', position: given };
      told = given;
    }
    next = page.next;
  }
}

/** Gives what the queue holds until it has lost something; null when the subscription ends. */
async function* goLive(
  after: Position,
  seen: number,
  live: LiveQueue,
): AsyncGenerator<SubscriptionMessage, { given: Position; sequence: number } | null> {
  let given = after;
  let sequence = seen;
  while (true) {
    const item = await live.next();
    if (item === null) return null;
    const isNext = item.sequence === sequence + 1;
    sequence = item.sequence;
    const order = comparePositions(item.position, given);
    if (item.event === null ? order < 0 : order <= 0) continue;
    if (!isNext) return { given, sequence };
    yield messageOf(item);
    given = item.position;
  }
}

function messageOf({ event, position }: LiveItem): SubscriptionMessage {
  return event === null ? { kind: 'checkpoint', position } : { kind: 'event', event };
}

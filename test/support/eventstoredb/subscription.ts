/** What a catch-up subscription gives, and how one to a stream goes about it. */
import { randomUUID } from 'node:crypto';
import type { EventFilter } from './event-filter.ts';
import type { Generation } from './generation.ts';
import type { Ledger, StoredEvent } from './ledger.ts';
import { type LiveQueue, liveQueue } from './live-queue.ts';
import { type Position, readStreamForwards } from './reading.ts';

export type SubscriptionMessage =
  | { readonly kind: 'confirmed'; readonly id: string }
  | { readonly kind: 'event'; readonly event: StoredEvent }
  | { readonly kind: 'checkpoint'; readonly position: Position }
  | { readonly kind: 'caught-up' }
  | { readonly kind: 'fell-behind' };

/** Why a subscription ended of itself; `gone` when its client went away. */
export type SubscriptionEnd = 'gone' | 'too-slow' | 'stream-deleted';

export type Subscription = AsyncGenerator<SubscriptionMessage, SubscriptionEnd>;

export interface AllFilter {
  readonly allows: EventFilter;
  /** How many events one page looks at. */
  readonly window: number;
  /** A checkpoint is due after so many pages. */
  readonly checkpointMultiplier: number;
}

export function confirmed(): SubscriptionMessage {
  return { kind: 'confirmed', id: randomUUID() };
}

/**
 * Follows one stream after revision `after`, exclusive; from its beginning when null, or only what comes.
 * Source: EventStore.Core/Services/Transport/Enumerators/Enumerator.StreamSubscription.cs.
 */
export async function* subscribeToStream(
  ledger: Ledger,
  stream: string,
  after: bigint | null | 'end',
  generation: Generation,
  signal: AbortSignal,
): Subscription {
  const overflow = generation === '23.10' ? 'end' : 'drop-oldest';
  const allows: EventFilter = (event) => event.stream === stream;
  let given = after === 'end' ? ledger.headOf(stream) : (after ?? -1n);
  yield confirmed();
  while (true) {
    const caughtUp = yield* catchUpWithStream(ledger, stream, given);
    if (caughtUp === 'stream-deleted') return caughtUp;
    given = caughtUp;
    const live = liveQueue(ledger, { allows, checkpointEvery: null, overflow }, signal);
    try {
      if (hasMore(ledger, stream, given)) continue;
      // 23.10 does not say so of a stream that is not there yet.
      const isSaid = generation === '24.2' || ledger.headOf(stream) >= 0n;
      if (isSaid) yield { kind: 'caught-up' };
      const ended = yield* goLive(live, given, isSaid);
      if (typeof ended === 'string') return ended;
      given = ended;
    } finally {
      live.stop();
    }
    yield { kind: 'fell-behind' };
  }
}

function hasMore(ledger: Ledger, stream: string, given: bigint): boolean {
  const page = readStreamForwards(ledger, stream, given + 1n, new Date());
  return page.kind === 'page' && page.events.length > 0;
}

/** Returns the last revision given. */
async function* catchUpWithStream(
  ledger: Ledger,
  stream: string,
  after: bigint,
): AsyncGenerator<SubscriptionMessage, bigint | 'stream-deleted'> {
  let given = after;
  while (true) {
    const page = readStreamForwards(ledger, stream, given + 1n, new Date());
    if (page.kind === 'deleted') return 'stream-deleted';
    if (page.kind === 'no-stream') return given;
    for (const event of page.events) {
      yield { kind: 'event', event };
      given = event.revision;
    }
    if (page.isEnd) return given;
  }
}

/** Returns the last revision given when items were dropped after it, else why it ended. */
async function* goLive(
  live: LiveQueue,
  after: bigint,
  hasSaidCaughtUp: boolean,
): AsyncGenerator<SubscriptionMessage, bigint | SubscriptionEnd> {
  let given = after;
  let isSaid = hasSaidCaughtUp;
  let expected = 1;
  while (true) {
    const item = await live.next();
    if (item === null) return live.hasOverflown() ? 'too-slow' : 'gone';
    if (item.sequence !== expected) return given;
    expected += 1;
    const { event } = item;
    if (event === null) continue;
    if (event.type === '$streamDeleted') return 'stream-deleted';
    yield { kind: 'event', event };
    given = event.revision;
    if (!isSaid) yield { kind: 'caught-up' };
    isSaid = true;
  }
}

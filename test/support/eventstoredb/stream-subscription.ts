/**
 * Catch-up subscriptions to one stream.
 * Source: EventStore.Core/Services/Transport/Enumerators/Enumerator.StreamSubscription.cs.
 */
import type { EventFilter } from './event-filter.ts';
import type { Generation } from './generation.ts';
import type { Ledger } from './ledger.ts';
import { type LiveQueue, liveQueue } from './live-queue.ts';
import { readStreamForwards } from './reading.ts';
import {
  confirmed,
  type Subscription,
  type SubscriptionEnd,
  type SubscriptionMessage,
} from './subscription.ts';

/** Follows one stream after revision `after`, exclusive; from its beginning when null, or only what comes. */
export async function* subscribeToStream(
  ledger: Ledger,
  stream: string,
  after: bigint | null | 'end',
  generation: Generation,
  signal: AbortSignal,
): Subscription {
  const overflow = generation === '23.10' ? 'end' : 'drop-oldest';
  const allows: EventFilter = (event) => event.stream === stream;
  // 23.10 does not look at the stream of which it gives only what comes.
  let isLookedAt = generation === '24.2' || after !== 'end';
  let given = after === 'end' ? ledger.headOf(stream) : (after ?? -1n);
  if (isLookedAt && ledger.isTombstoned(stream)) return 'stream-deleted';
  yield confirmed();
  while (true) {
    if (isLookedAt) {
      const caughtUp = yield* catchUp(ledger, stream, given, generation, signal);
      if (typeof caughtUp === 'string') return caughtUp;
      given = caughtUp;
    }
    isLookedAt = true;
    const live = liveQueue(ledger, { allows, checkpointEvery: null, overflow }, signal);
    try {
      if (hasMore(ledger, stream, given)) continue;
      yield { kind: 'caught-up' };
      const ended = yield* goLive(live, given);
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
async function* catchUp(
  ledger: Ledger,
  stream: string,
  after: bigint,
  generation: Generation,
  signal: AbortSignal,
): AsyncGenerator<SubscriptionMessage, bigint | SubscriptionEnd> {
  let given = after;
  while (true) {
    const page = readStreamForwards(ledger, stream, given + 1n, new Date());
    if (page.kind === 'deleted') return 'stream-deleted';
    if (page.kind === 'no-stream') {
      if (generation === '24.2') return given;
      // 23.10 looks again and again until there is a stream.
      if (!(await nextCommit(ledger, stream, signal))) return 'gone';
      continue;
    }
    for (const event of page.events) {
      yield { kind: 'event', event };
      given = event.revision;
    }
    if (page.isEnd) return given;
  }
}

/** Whether there was one to the stream before the client went away. */
async function nextCommit(ledger: Ledger, stream: string, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  return await new Promise((resolve) => {
    const settle = (isThere: boolean): void => {
      stop();
      signal.removeEventListener('abort', gone);
      resolve(isThere);
    };
    const gone = (): void => settle(false);
    const stop = ledger.onCommit((event) => {
      if (event.stream === stream) settle(true);
    });
    signal.addEventListener('abort', gone);
  });
}

/** Returns the last revision given when items were dropped after it, else why it ended. */
async function* goLive(
  live: LiveQueue,
  after: bigint,
): AsyncGenerator<SubscriptionMessage, bigint | SubscriptionEnd> {
  let given = after;
  let expected = 1;
  while (true) {
    const item = await live.next();
    if (item === null) return live.hasOverflown() ? 'too-slow' : 'gone';
    if (item.sequence !== expected) return given;
    expected += 1;
    const { event } = item;
    if (event === null || event.revision <= given) continue;
    yield { kind: 'event', event };
    if (event.type === '$streamDeleted') return 'stream-deleted';
    given = event.revision;
  }
}

/** What was committed since a subscription went live and has not been given yet: a few dozen items at most. */
import type { EventFilter } from './event-filter.ts';
import type { Ledger, StoredEvent } from './ledger.ts';
import { type Position, positionOf } from './reading.ts';

/** Source: MaxLiveEventBufferCount in EventStore.Core/Services/Transport/Enumerators/Enumerator.cs. */
export const LIVE_BUFFER_ITEMS = 32;

export interface LiveItem {
  /** From 1, without gaps: a gap tells that items were dropped. */
  readonly sequence: number;
  readonly position: Position;
  /** Null for a checkpoint. */
  readonly event: StoredEvent | null;
}

export interface LiveQueue {
  /** The oldest item kept, once there is one; null when the subscription ended or `overflow` says so. */
  readonly next: () => Promise<LiveItem | null>;
  /** Whether it ended because its reader was too slow. */
  readonly hasOverflown: () => boolean;
  readonly stop: () => void;
}

export interface LiveQueueOptions {
  readonly allows: EventFilter;
  /** A checkpoint is put in after so many commits, counting from `considered`; none when null. */
  readonly checkpointEvery: number | null;
  readonly considered?: number;
  /**
   * What happens when the reader is too slow. `end`, as in 23.10: two buffers in a row fill, then the first is still
   * given and nothing more. `drop-oldest`, as in later servers: one buffer, of which the newest items are kept.
   */
  readonly overflow: 'end' | 'drop-oldest';
}

export function liveQueue(ledger: Ledger, options: LiveQueueOptions, signal: AbortSignal): LiveQueue {
  const { allows, checkpointEvery, overflow } = options;
  const limit = overflow === 'end' ? 2 * LIVE_BUFFER_ITEMS : LIVE_BUFFER_ITEMS;
  const items: LiveItem[] = [];
  let sequence = 0;
  let considered = options.considered ?? 0;
  let hasOverflown = false;
  let wake = (): void => {};
  const push = (event: StoredEvent | null, position: Position): void => {
    if (hasOverflown) return;
    sequence += 1;
    items.push({ sequence, position, event });
    if (items.length > limit && overflow === 'drop-oldest') items.shift();
    if (items.length > limit) {
      hasOverflown = true;
      items.length = LIVE_BUFFER_ITEMS;
    }
    wake();
  };
  const stop = ledger.onCommit((event) => {
    if (allows(event)) push(event, positionOf(event));
    considered += 1;
    if (checkpointEvery === null || considered < checkpointEvery) return;
    considered = 0;
    push(null, positionOf(event));
  });
  signal.addEventListener('abort', () => wake(), { once: true });
  return {
    async next() {
      while (items.length === 0 && !hasOverflown && !signal.aborted) {
        await new Promise<void>((resolve) => (wake = resolve));
      }
      return signal.aborted ? null : (items.shift() ?? null);
    },
    hasOverflown: () => hasOverflown,
    stop,
  };
}

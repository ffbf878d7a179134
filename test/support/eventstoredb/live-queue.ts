/** What was committed since a subscription began and has not been given yet: the newest few, the older ones dropped. */
import type { EventFilter } from './event-filter.ts';
import type { Ledger, StoredEvent } from './ledger.ts';
import { type Position, positionOf } from './reading.ts';

/** Source: MaxLiveEventBufferCount in EventStore.Core/Services/Transport/Enumerators/Enumerator.cs. */
const LIVE_ITEMS = 32;

export interface LiveItem {
  /** From 1, without gaps: a gap tells that items were dropped. */
  readonly sequence: number;
  readonly position: Position;
  /** Null for a checkpoint. */
  readonly event: StoredEvent | null;
}

export interface LiveQueue {
  /** The oldest item kept, once there is one; null when the subscription has ended. */
  readonly next: () => Promise<LiveItem | null>;
  readonly stop: () => void;
}

export function liveQueue(
  ledger: Ledger,
  { allows, checkpointEvery }: { readonly allows: EventFilter; readonly checkpointEvery: number | null },
  signal: AbortSignal,
): LiveQueue {
  const items: LiveItem[] = [];
  let sequence = 0;
  let considered = 0;
  let wake = (): void => {};
  const push = (event: StoredEvent | null, position: Position): void => {
    sequence += 1;
    items.push({ sequence, position, event });
    if (items.length > LIVE_ITEMS) items.shift();
    wake();
  };
  const stopListening = ledger.onCommit((event) => {
    if (allows(event)) push(event, positionOf(event));
    considered += 1;
    if (checkpointEvery !== null && considered >= checkpointEvery) {
      considered = 0;
      push(null, positionOf(event));
    }
  });
  signal.addEventListener('abort', () => wake(), { once: true });
  return {
    async next() {
      while (items.length === 0 && !signal.aborted) {
        await new Promise<void>((resolve) => (wake = resolve));
      }
      return signal.aborted ? null : (items.shift() ?? null);
    },
    stop: stopListening,
  };
}

/** What a catch-up subscription gives. */
import { randomUUID } from 'node:crypto';
import type { EventFilter } from './event-filter.ts';
import type { StoredEvent } from './ledger.ts';
import type { Position } from './reading.ts';

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

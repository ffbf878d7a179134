/** What every limit says of itself, whichever edge tells it to the caller. */
import type { Refusal } from '../operations/refusals.ts';

/** How one limit stands after a call was counted. */
export interface LimitState {
  readonly name: 'public' | 'account' | 'trials' | 'minute' | 'month' | 'failures';
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Until the window ends. */
  readonly resetSeconds: number;
  /** When that is, Unix time in seconds, by the clock of whoever counts; for callers of the Data API. */
  readonly resetAtSeconds?: number;
}

export interface LimitResult {
  readonly states: readonly LimitState[];
  /** Once the limit is reached. */
  readonly refusal: Refusal | null;
}

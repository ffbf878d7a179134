/**
 * The port to what only one process may do at a time. A lease is held for a time and taken again before it runs out;
 * a holder that is not heard of loses it to whoever asks next. How to hold one: src/background/lease-holder.ts.
 */
export interface Leases {
  /**
   * Whether `holder` has the lease now, and for `ttlMs` from the moment it asked: taken if nobody else has it, taken
   * anew if it is his already. All who ask for one lease ask for the same time.
   */
  take(name: string, holder: string, ttlMs: number): Promise<boolean>;
  /** Gives it back, so that the next one need not wait. Nothing happens if it is another's. */
  release(name: string, holder: string): Promise<void>;
}

/** The engine behind the leases cannot be reached: nobody may believe that he holds one longer than he was told. */
export class LeasesUnavailable extends Error {
  override readonly name = 'LeasesUnavailable';
}

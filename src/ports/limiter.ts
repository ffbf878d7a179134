/** The port to rate limits: how often somebody may come within a window. */

export interface Verdict {
  readonly allowed: boolean;
  /** How many more may come in this window. */
  readonly remaining: number;
  /** Until the window ends and the full number may come again, in milliseconds; more than 0. */
  readonly resetMs: number;
}

export interface Limiter {
  /** The length of the window, which starts with somebody's first request and not by the clock. */
  readonly windowSeconds: number;
  /**
   * Counts one request of `key` against `limit`. However many come at once, exactly `limit` of a window are allowed;
   * one that is refused counts nothing. `nowMs` is Unix time, for those who count alone: what processes share goes by
   * the clock of its engine.
   */
  take(key: string, limit: number, nowMs: number): Promise<Verdict>;
}

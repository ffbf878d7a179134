/** When the requests of an account's last minute came. */
import { METERED_WINDOW_MS } from '../../src/ports/meter.ts';

/** What has left the minute is let go once it is so much, and half of all. */
const MIN_LET_GO = 256;

export class MinuteWindow {
  /** Unix time in milliseconds, the oldest first; those before `#first` have left the minute. */
  readonly #times: number[] = [];
  #first = 0;
  #atMs = 0;

  /**
   * Lets the minute end now. A clock that was set back by more than a minute has begun anew; by less, the minute waits
   * until time goes on.
   */
  slideTo(nowMs: number): void {
    const newestMs = this.#times.at(-1) ?? nowMs;
    const isOfAnotherTime = newestMs > nowMs + METERED_WINDOW_MS;
    this.#atMs = isOfAnotherTime ? nowMs : Math.max(nowMs, newestMs);
    const endedMs = isOfAnotherTime ? Infinity : this.#atMs - METERED_WINDOW_MS;
    while ((this.#times[this.#first] ?? Infinity) <= endedMs && this.used > 0) this.#first += 1;
    if (this.#first < MIN_LET_GO && this.used > 0) return;
    if (this.#first * 2 < this.#times.length) return;
    this.#times.splice(0, this.#first);
    this.#first = 0;
  }

  /** When the minute ends: now, unless the clock was set back. */
  get atMs(): number {
    return this.#atMs;
  }

  get used(): number {
    return this.#times.length - this.#first;
  }

  /** One more, at the end of the minute. */
  add(): void {
    this.#times.push(this.#atMs);
  }

  /**
   * When one more may come if the limit is reached, else when the oldest leaves. After a change to a smaller plan more
   * than one has to leave before another may come.
   */
  resetAtMs(limit: number): number {
    const leavesMs = this.#times[this.#first + Math.max(0, this.used - limit)];
    return leavesMs === undefined ? this.#atMs : leavesMs + METERED_WINDOW_MS;
  }
}

/**
 * The counts of meter.db in the memory of one process: what its tables say, and what its journal says that is not in the
 * tables yet. Every change is an entry of the journal, so that all processes come to the same counts.
 */
import { endOfPeriodMs, periodAt } from '../../events/period.ts';
import { laterTotals, type UsageTotals } from '../../events/usage-events.ts';
import type { AccountMonth } from '../../src/ports/meter.ts';
import { MinuteWindow } from './minute-window.ts';

const HOUR_MS = 3_600_000;

/** As it is kept, in JSON. Times are Unix milliseconds. */
export type Entry =
  | readonly [
      kind: 'counted',
      accountId: string,
      keyId: string,
      operation: string,
      costsQuota: boolean,
      atMs: number,
    ]
  | readonly [kind: 'refused', accountId: string, period: string, by: 'minute' | 'month']
  | readonly [
      kind: 'returned',
      accountId: string,
      keyId: string,
      operation: string,
      period: string,
      atMs: number,
    ]
  | readonly [kind: 'seeded', accountId: string, period: string, counted: number, returned: number];

export interface Month extends AccountMonth {
  totals: UsageTotals;
  readonly refused: { minute: number; month: number };
}

/** What the history files requests under: account, hour, key, operation. */
export type HourKey = readonly [accountId: string, hourMs: number, keyId: string, operation: string];

export interface Unfolded {
  /** As they are now. */
  readonly months: ReadonlySet<Month>;
  /** What is to be added to the table. */
  readonly hours: ReadonlyMap<string, { readonly key: HourKey; readonly requests: number }>;
}

export class MeterCounts {
  readonly #windows = new Map<string, MinuteWindow>();
  readonly #months = new Map<string, Month>();
  readonly #load: (accountId: string, period: string) => Month | undefined;
  readonly #unfoldedMonths = new Set<Month>();
  readonly #unfoldedHours = new Map<string, { readonly key: HourKey; requests: number }>();

  #nowMs = 0;
  #newestMs = 0;
  /** The period that was asked for last, from the instant that was asked about. */
  #latest = { period: '', fromMs: 0, endMs: 0 };

  /** @param load the month as the table has it */
  constructor(load: (accountId: string, period: string) => Month | undefined) {
    this.#load = load;
  }

  /** The time that was last asked for, Unix milliseconds. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Since this was asked last: the end of the newest minute that a request was counted in, Unix milliseconds; or 0. */
  takeNewestMs(): number {
    const newestMs = this.#newestMs;
    this.#newestMs = 0;
    return newestMs;
  }

  /** The period of an instant: twice for each request, and hardly ever another one than before. */
  periodAt(ms: number): string {
    const { period, fromMs, endMs } = this.#latest;
    if (ms >= fromMs && ms < endMs) return period;
    const now = periodAt(ms);
    this.#latest = { period: now, fromMs: ms, endMs: endOfPeriodMs(now) };
    return now;
  }

  /** The last minute of the account, as it ends now. */
  window(accountId: string, nowMs: number): MinuteWindow {
    this.#nowMs = nowMs;
    let window = this.#windows.get(accountId);
    if (window === undefined) this.#windows.set(accountId, (window = new MinuteWindow()));
    window.slideTo(nowMs);
    return window;
  }

  /** Undefined where nothing is known of the month. */
  month(accountId: string, period: string): Month | undefined {
    const id = `${accountId} ${period}`;
    const known = this.#months.get(id) ?? this.#load(accountId, period);
    if (known !== undefined) this.#months.set(id, known);
    return known;
  }

  /** What the tables do not say yet. */
  get unfolded(): Unfolded {
    return { months: this.#unfoldedMonths, hours: this.#unfoldedHours };
  }

  /** All is in the tables by now. */
  folded(): void {
    this.#unfoldedMonths.clear();
    this.#unfoldedHours.clear();
  }

  /** Lets go of all accounts that had no request in the last minute: what is folded is found in the tables. */
  forgetIdle(): void {
    for (const [accountId, window] of this.#windows) {
      window.slideTo(this.#nowMs);
      if (window.used === 0) this.#windows.delete(accountId);
    }
    for (const [id, month] of this.#months)
      if (!this.#windows.has(month.accountId) && !this.#unfoldedMonths.has(month)) this.#months.delete(id);
  }

  /** Takes in an entry that is in no table. */
  apply(entry: Entry): void {
    if (entry[0] === 'counted') this.#addToMinute(entry);
    if (entry[0] === 'counted' && !entry[4]) return;
    const month = this.month(entry[1], this.#periodOf(entry));
    if (month === undefined) return;
    change(month, entry);
    this.#unfoldedMonths.add(month);
    if (entry[0] === 'counted') this.#addToHour(entry[5], entry, 1);
    if (entry[0] === 'returned') this.#addToHour(entry[5], entry, -1);
  }

  /** Takes in an entry that is in the tables too: what is read from them has it already. */
  applyFolded(entry: Entry): void {
    if (entry[0] === 'counted') this.#addToMinute(entry);
    const known = this.#months.get(`${entry[1]} ${this.#periodOf(entry)}`);
    if (known !== undefined) change(known, entry);
  }

  #periodOf(entry: Entry): string {
    switch (entry[0]) {
      case 'counted':
        return this.periodAt(entry[5]);
      case 'returned':
        return entry[4];
      case 'refused':
      case 'seeded':
        return entry[2];
    }
  }

  #addToMinute([, accountId, , , , atMs]: Extract<Entry, readonly ['counted', ...unknown[]]>): void {
    const window = this.window(accountId, atMs);
    window.add();
    this.#newestMs = Math.max(this.#newestMs, window.atMs);
  }

  #addToHour(
    atMs: number,
    [, accountId, keyId, operation]: readonly [string, string, string, string, ...unknown[]],
    requests: number,
  ): void {
    const hour = Math.floor(atMs / HOUR_MS);
    const id = `${accountId} ${hour} ${keyId} ${operation}`;
    const known = this.#unfoldedHours.get(id);
    if (known !== undefined) known.requests += requests;
    else this.#unfoldedHours.set(id, { key: [accountId, hour * HOUR_MS, keyId, operation], requests });
  }
}

function change(month: Month, entry: Entry): void {
  const { totals, refused } = month;
  switch (entry[0]) {
    case 'counted':
      if (entry[4]) month.totals = { ...totals, counted: totals.counted + 1 };
      return;
    case 'returned':
      month.totals = { ...totals, returned: totals.returned + 1 };
      return;
    case 'refused':
      refused[entry[3]] += 1;
      return;
    case 'seeded':
      month.totals = laterTotals(totals, { counted: entry[3], returned: entry[4] });
  }
}

/**
 * The port to what accounts have used of their plans: how many requests in the last minute and in the month. A count is
 * durable, and the same for all processes, when it is answered. Time is the engine's own: clocks of processes differ.
 */
import type { UsageTotals } from '../../events/usage-events.ts';

/** The minute slides: no 60 seconds, wherever they begin, hold more requests than the limit. */
export const METERED_WINDOW_MS = 60_000;

/** What a plan allows all keys of an account together. */
export interface Allowance {
  readonly perMinute: number;
  readonly perMonth: number;
}

/** One request that is to be counted. */
export interface Draw {
  readonly accountId: string;
  /** The history has it by these. */
  readonly keyId: string;
  readonly operation: string;
  readonly allowance: Allowance;
  /** Whether it costs quota; if not it counts in the minute alone. */
  readonly costsQuota: boolean;
}

/** What somebody knows of a month: at least so much was counted. */
export interface KnownMonth {
  /** `2026-11`. */
  readonly period: string;
  readonly totals: UsageTotals;
}

/** How an account stands. */
export interface MeterReading {
  /** The engine's clock, Unix time. */
  readonly nowMs: number;
  readonly minute: {
    /** Requests in the 60 seconds before `nowMs`. */
    readonly used: number;
    /** When one more may come if the limit is reached, else when the oldest of them leaves the minute. */
    readonly resetAtMs: number;
  };
  readonly month: KnownMonth;
  /** Requests of the month that were refused, by the limit that stopped them. */
  readonly refused: { readonly minute: number; readonly month: number };
}

/** Names a request that was counted, so that it can be given back to the month and hour in which it was. */
export interface Receipt {
  readonly accountId: string;
  readonly keyId: string;
  readonly operation: string;
  readonly period: string;
  readonly countedAtMs: number;
}

export type Counted =
  | { readonly kind: 'counted'; readonly reading: MeterReading; readonly receipt: Receipt }
  /** Nothing was counted. */
  | { readonly kind: 'refused'; readonly by: 'minute' | 'month'; readonly reading: MeterReading }
  /** The engine holds nothing of the account's month, new or lost: it wants to be told what is known ({@link Meter.seed}). */
  | { readonly kind: 'unseeded'; readonly period: string };

export type Read =
  | { readonly kind: 'read'; readonly reading: MeterReading }
  | { readonly kind: 'unseeded'; readonly period: string };

export type HistoryBucket = 'hour' | 'day' | 'month';
export type HistoryGroup = 'key' | 'operation';

export interface HistoryQuestion {
  readonly accountId: string;
  /** Whole hours, days or months of UTC, Unix time: from the first, to before the second. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly bucket: HistoryBucket;
  readonly groupBy: HistoryGroup;
  /** At most so many rows are told, whichever: an account may have any number of keys. */
  readonly limit: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The first moment of the bucket that a time is in, and of the one after it; Unix time. */
export function boundsOf(bucket: HistoryBucket, ms: number): readonly [startMs: number, nextMs: number] {
  if (bucket === 'month') {
    const date = new Date(ms);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    return [Date.UTC(year, month), Date.UTC(year, month + 1)];
  }
  const lengthMs = bucket === 'hour' ? HOUR_MS : DAY_MS;
  const startMs = ms - (ms % lengthMs);
  return [startMs, startMs + lengthMs];
}

/** Requests that cost quota. Buckets without any are left out. */
export interface HistoryRow {
  readonly startMs: number;
  /** The id of a key, or the name of an operation. */
  readonly group: string;
  readonly requests: number;
}

/** Hours are kept for so long, and days. */
export const HOURS_KEPT_DAYS = 35;
export const DAYS_KEPT_DAYS = 400;

export interface AccountMonth extends KnownMonth {
  readonly accountId: string;
}

export interface Meter {
  /**
   * Counts a request, if both limits let it. However many come at once, to whichever process, exactly as many pass.
   * @param known what this process has seen of the month; an engine that was set back goes on from there
   * @throws {MeterUnavailable} it is not known whether it was counted: the request is not to be answered
   */
  count(draw: Draw, known: KnownMonth | null): Promise<Counted>;
  /** Gives the quota of a request back; it stays in the minute. To be called once for a receipt. @throws {MeterUnavailable} */
  giveBack(receipt: Receipt): Promise<void>;
  /** How an account stands; counts nothing. @throws {MeterUnavailable} */
  read(accountId: string, allowance: Allowance, known: KnownMonth | null): Promise<Read>;
  /** Tells the engine what is known of a month; totals never shrink by it. @throws {MeterUnavailable} */
  seed(month: AccountMonth): Promise<void>;
  /** @throws {MeterUnavailable} */
  history(question: HistoryQuestion): Promise<readonly HistoryRow[]>;
  /** Months whose totals have changed since they were {@link saved}, at most `limit`. @throws {MeterUnavailable} */
  unsaved(limit: number): Promise<readonly AccountMonth[]>;
  /** These totals are kept elsewhere too. @throws {MeterUnavailable} */
  saved(months: readonly AccountMonth[]): Promise<void>;
  /** Forgets what is older than it is kept for. @throws {MeterUnavailable} */
  prune(): Promise<void>;
}

/** The engine of the counts cannot be reached or written. */
export class MeterUnavailable extends Error {
  override readonly name = 'MeterUnavailable';
}

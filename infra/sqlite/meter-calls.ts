/**
 * What is asked of meter.db; each call runs inside a transaction of its caller. The time is taken there, under the lock:
 * whoever was held up before it must not come with an old one.
 */
import type { Database } from 'better-sqlite3';
import { periodAt } from '../../events/period.ts';
import { exceeds, usedOf } from '../../events/usage-events.ts';
import {
  type AccountMonth,
  type Allowance,
  DAYS_KEPT_DAYS,
  HOURS_KEPT_DAYS,
  type KnownMonth,
  type Meter,
  type MeterReading,
  type Read,
} from '../../src/ports/meter.ts';
import type { Synchronous } from './call-thread.ts';
import type { Month } from './meter-counts.ts';
import {
  type CountedMessage,
  countedMessage,
  type DrawMessage,
  knownIn,
  unseededMessage,
} from './meter-messages.ts';
import { meterJournal } from './meter-journal.ts';
import { meterTables } from './meter-tables.ts';
import type { MinuteWindow } from './minute-window.ts';
import type { Connection } from './serve-calls.ts';

const DAY_MS = 24 * 3_600_000;
const MONTH_DAYS = 32;
/** The oldest hour that may be asked for is kept whole. */
const SPARE_DAYS = 2;

/** `at` is Unix time of tests; absent, that of the machine, which all processes that share the file are on. */
export type MeterCalls = Synchronous<Pick<Meter, 'giveBack' | 'seed' | 'unsaved' | 'saved'>> & {
  readonly count: (draw: DrawMessage) => CountedMessage;
  readonly read: (accountId: string, allowance: Allowance, known: KnownMonth | null, at?: number) => Read;
  /** Brings the tables that the history is read from up to what was counted. */
  readonly fold: () => void;
  /** True where it is to be asked again: it does not forget everything at once. */
  readonly prune: (at?: number) => boolean;
};

export function meterConnection(db: Database): Connection & { readonly calls: MeterCalls } {
  const tables = meterTables(db);
  const journal = meterJournal(db, tables);
  const { write } = journal;

  /** The month that is running, or null where nothing is known of it. */
  function monthAt(accountId: string, period: string, known: KnownMonth | null): Month | null {
    const month = journal.counts().month(accountId, period);
    if (month === undefined) return null;
    if (known?.period === period && exceeds(known.totals, month.totals)) seed({ accountId, ...known });
    return month;
  }

  function seed({ accountId, period, totals }: AccountMonth): void {
    if (journal.counts().month(accountId, period) === undefined)
      tables.beginMonth({ accountId, period, totals });
    write(['seeded', accountId, period, totals.counted, totals.returned]);
  }

  const calls: MeterCalls = {
    count(draw) {
      const [accountId, keyId, operation, costsQuota, perMinute, perMonth] = draw;
      const nowMs = draw[9] ?? Date.now();
      const period = journal.counts().periodAt(nowMs);
      const month = monthAt(accountId, period, knownIn(draw));
      if (month === null) return unseededMessage(period);
      const minute = journal.counts().window(accountId, nowMs);
      const isUsedUp = costsQuota && usedOf(month.totals) >= perMonth;
      const by = isUsedUp ? 'month' : minute.used >= perMinute ? 'minute' : null;
      if (by !== null) write(['refused', accountId, period, by]);
      else write(['counted', accountId, keyId, operation, costsQuota, nowMs]);
      return countedMessage(by ?? 'counted', nowMs, readingOf(minute, perMinute, month));
    },
    giveBack({ accountId, keyId, operation, period, countedAtMs }) {
      write(['returned', accountId, keyId, operation, period, countedAtMs]);
    },
    read(accountId, { perMinute }, known, nowMs = Date.now()) {
      const period = journal.counts().periodAt(nowMs);
      const month = monthAt(accountId, period, known);
      if (month === null) return { kind: 'unseeded', period };
      return {
        kind: 'read',
        reading: readingOf(journal.counts().window(accountId, nowMs), perMinute, month),
      };
    },
    seed,
    fold: () => journal.fold(),
    unsaved(limit) {
      journal.fold();
      return tables.unsaved(limit);
    },
    saved: (kept) => kept.forEach(tables.saved),
    prune(nowMs = Date.now()) {
      journal.fold();
      // Of the month in which the oldest kept day is, all days are told.
      const dayMs = nowMs - (DAYS_KEPT_DAYS + MONTH_DAYS) * DAY_MS;
      const hourMs = nowMs - (HOURS_KEPT_DAYS + SPARE_DAYS) * DAY_MS;
      return tables.prune({ hourMs, dayMs, period: periodAt(dayMs) });
    },
  };
  return { calls, ...journal };
}

function readingOf(
  minute: MinuteWindow,
  perMinute: number,
  { period, totals, refused }: Month,
): MeterReading {
  return {
    nowMs: minute.atMs,
    minute: { used: minute.used, resetAtMs: minute.resetAtMs(perMinute) },
    month: { period, totals },
    refused: { ...refused },
  };
}

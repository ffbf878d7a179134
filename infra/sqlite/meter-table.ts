/**
 * What is done with the counts of meter.db; each call runs inside a transaction of its caller. The time is taken there,
 * under the lock: whoever was held up before it must not come with an old one.
 */
import type { Database } from 'better-sqlite3';
import { periodOf } from '../../events/period.ts';
import { exceeds, laterTotals, usedOf } from '../../events/usage-events.ts';
import {
  type AccountMonth,
  type Allowance,
  type Counted,
  DAYS_KEPT_DAYS,
  type Draw,
  type HistoryQuestion,
  type HistoryRow,
  type KnownMonth,
  METERED_WINDOW_MS,
  type MeterReading,
  type Read,
  type Receipt,
} from '../../src/ports/meter.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MONTH_DAYS = 32;

/** `at` is Unix time of tests; absent, that of the machine, which all processes that share the file are on. */
export type MeterCalls = {
  readonly count: (draw: Draw, known: KnownMonth | null, at?: number) => Counted;
  readonly giveBack: (receipt: Receipt) => void;
  readonly read: (accountId: string, allowance: Allowance, known: KnownMonth | null, at?: number) => Read;
  readonly seed: (month: AccountMonth) => void;
  readonly history: (question: HistoryQuestion) => readonly HistoryRow[];
  readonly unsaved: (limit: number) => readonly AccountMonth[];
  readonly saved: (months: readonly AccountMonth[]) => void;
  readonly prune: (at?: number) => void;
};

interface MonthRow {
  readonly counted: number;
  readonly returned: number;
  readonly refused_by_minute: number;
  readonly refused_by_month: number;
}

interface MinuteRow {
  readonly at: number;
  readonly first: number;
  readonly requests: number;
}

/** The last minute: `next` is the number of the request that comes next, `first` that of its oldest. */
interface Minute {
  readonly atMs: number;
  readonly used: number;
  readonly next: number;
  readonly oldestMs: number | null;
}

export function meterTable(db: Database): MeterCalls {
  const minutes = minutesOf(db);
  const months = monthsOf(db);
  const hours = hoursOf(db);

  function readingOf(accountId: string, limit: number, minute: Minute, month: MonthOfAccount): MeterReading {
    const { atMs, used } = minute;
    const { period, counted, returned, refused_by_minute, refused_by_month } = month;
    return {
      nowMs: atMs,
      minute: { used, resetAtMs: minutes.resetAtMs(accountId, minute, limit) },
      month: { period, totals: { counted, returned } },
      refused: { minute: refused_by_minute, month: refused_by_month },
    };
  }

  return {
    count({ accountId, keyId, operation, allowance, costsQuota }, known, nowMs = Date.now()) {
      const month = months.at(accountId, nowMs, known);
      if (month === null) return { kind: 'unseeded', period: periodAt(nowMs) };
      const minute = minutes.at(accountId, nowMs);
      const { perMinute, perMonth } = allowance;
      const isUsedUp = costsQuota && usedOf(month) >= perMonth;
      const by = isUsedUp ? 'month' : minute.used >= perMinute ? 'minute' : null;
      if (by !== null) {
        const refused = months.refuse(accountId, month, by);
        return { kind: 'refused', by, reading: readingOf(accountId, perMinute, minute, refused) };
      }
      const after = minutes.add(accountId, minute);
      const counted = costsQuota ? months.count(accountId, month) : month;
      if (costsQuota) hours.add(accountId, nowMs, keyId, operation);
      const reading = readingOf(accountId, perMinute, after, counted);
      const receipt = { accountId, keyId, operation, period: month.period, countedAtMs: nowMs };
      return { kind: 'counted', reading, receipt };
    },
    giveBack({ accountId, keyId, operation, period, countedAtMs }) {
      months.giveBack(accountId, period);
      hours.take(accountId, countedAtMs, keyId, operation);
    },
    read(accountId, { perMinute }, known, nowMs = Date.now()) {
      const month = months.at(accountId, nowMs, known);
      if (month === null) return { kind: 'unseeded', period: periodAt(nowMs) };
      const minute = minutes.at(accountId, nowMs);
      return { kind: 'read', reading: readingOf(accountId, perMinute, minute, month) };
    },
    seed: months.seed,
    history: hours.history,
    unsaved: months.unsaved,
    saved: (kept) => kept.forEach(months.saved),
    prune(nowMs = Date.now()) {
      // Of the month in which the oldest kept day is, all days are told.
      const before = nowMs - (DAYS_KEPT_DAYS + MONTH_DAYS) * DAY_MS;
      hours.prune(before);
      months.prune(periodAt(before));
    },
  };
}

function minutesOf(db: Database) {
  const newest = db.prepare<[string], MinuteRow>(
    'SELECT at, first, requests FROM minutes WHERE account_id = ? ORDER BY at DESC LIMIT 1',
  );
  const oldest = db.prepare<[string], MinuteRow>(
    'SELECT at, first, requests FROM minutes WHERE account_id = ? ORDER BY at LIMIT 1',
  );
  const holding = db.prepare<[string, number], MinuteRow>(
    'SELECT at, first, requests FROM minutes WHERE account_id = ? AND first + requests > ? ORDER BY at LIMIT 1',
  );
  const forget = db.prepare<[string, number]>('DELETE FROM minutes WHERE account_id = ? AND at <= ?');
  const insert = db.prepare<[string, number, number]>(
    `INSERT INTO minutes VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET requests = requests + 1`,
  );

  function at(accountId: string, nowMs: number): Minute {
    const last = newest.get(accountId);
    if (last === undefined) return { atMs: nowMs, used: 0, next: 0, oldestMs: null };
    // A clock that was set back by more than a minute has begun anew; by less, it waits until time goes on.
    const isOfAnotherTime = last.at > nowMs + METERED_WINDOW_MS;
    const atMs = isOfAnotherTime ? nowMs : Math.max(nowMs, last.at);
    const first = oldest.get(accountId) ?? last;
    const next = last.first + last.requests;
    if (!isOfAnotherTime && first.at > atMs - METERED_WINDOW_MS)
      return { atMs, used: next - first.first, next, oldestMs: first.at };
    forget.run(accountId, isOfAnotherTime ? last.at : atMs - METERED_WINDOW_MS);
    const left = oldest.get(accountId);
    if (left === undefined) return { atMs, used: 0, next: 0, oldestMs: null };
    return { atMs, used: next - left.first, next, oldestMs: left.at };
  }

  function add(accountId: string, { atMs, used, next, oldestMs }: Minute): Minute {
    insert.run(accountId, atMs, next);
    return { atMs, used: used + 1, next: next + 1, oldestMs: oldestMs ?? atMs };
  }

  function resetAtMs(accountId: string, { atMs, used, next, oldestMs }: Minute, limit: number): number {
    if (oldestMs === null) return atMs;
    // After a change to a smaller plan more than one has to leave the minute before another may come.
    const leaving = used > limit ? holding.get(accountId, next - limit)?.at : oldestMs;
    return (leaving ?? oldestMs) + METERED_WINDOW_MS;
  }

  return { at, add, resetAtMs };
}

interface MonthOfAccount extends MonthRow {
  readonly period: string;
}

function monthsOf(db: Database) {
  const select = db.prepare<[string, string], MonthRow>(
    'SELECT counted, returned, refused_by_minute, refused_by_month FROM months WHERE account_id = ? AND period = ?',
  );
  const merge = db.prepare<[string, string, number, number, number]>(
    `INSERT INTO months (account_id, period, counted, returned, saved) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET counted = max(counted, excluded.counted), returned = max(returned, excluded.returned)`,
  );
  const count = db.prepare<[string, string]>(
    'UPDATE months SET counted = counted + 1 WHERE account_id = ? AND period = ?',
  );
  const giveBack = db.prepare<[string, string]>(
    'UPDATE months SET returned = returned + 1 WHERE account_id = ? AND period = ?',
  );
  const refuseByMinute = db.prepare<[string, string]>(
    'UPDATE months SET refused_by_minute = refused_by_minute + 1 WHERE account_id = ? AND period = ?',
  );
  const refuseByMonth = db.prepare<[string, string]>(
    'UPDATE months SET refused_by_month = refused_by_month + 1 WHERE account_id = ? AND period = ?',
  );
  const selectUnsaved = db.prepare<[number], { account_id: string; period: string } & MonthRow>(
    'SELECT account_id, period, counted, returned FROM months WHERE counted + returned > saved ORDER BY account_id LIMIT ?',
  );
  const save = db.prepare<[number, string, string]>(
    'UPDATE months SET saved = max(saved, ?) WHERE account_id = ? AND period = ?',
  );
  const forget = db.prepare<[string]>('DELETE FROM months WHERE period < ?');

  const seed = ({ accountId, period, totals }: AccountMonth): void => {
    const { counted, returned } = totals;
    merge.run(accountId, period, counted, returned, counted + returned);
  };

  return {
    at(accountId: string, nowMs: number, known: KnownMonth | null): MonthOfAccount | null {
      const period = periodAt(nowMs);
      const row = select.get(accountId, period);
      if (row === undefined) return null;
      if (known?.period !== period || !exceeds(known.totals, row)) return { ...row, period };
      seed({ accountId, ...known });
      return { ...row, ...laterTotals(row, known.totals), period };
    },
    count(accountId: string, month: MonthOfAccount): MonthOfAccount {
      count.run(accountId, month.period);
      return { ...month, counted: month.counted + 1 };
    },
    refuse(accountId: string, month: MonthOfAccount, by: 'minute' | 'month'): MonthOfAccount {
      (by === 'minute' ? refuseByMinute : refuseByMonth).run(accountId, month.period);
      const name = `refused_by_${by}` as const;
      return { ...month, [name]: month[name] + 1 };
    },
    giveBack: (accountId: string, period: string): void => void giveBack.run(accountId, period),
    seed,
    unsaved: (limit: number): readonly AccountMonth[] =>
      selectUnsaved.all(limit).map(({ account_id, period, counted, returned }) => ({
        accountId: account_id,
        period,
        totals: { counted, returned },
      })),
    saved: ({ accountId, period, totals }: AccountMonth): void =>
      void save.run(totals.counted + totals.returned, accountId, period),
    prune: (before: string): void => void forget.run(before),
  };
}

function hoursOf(db: Database) {
  const add = db.prepare<[string, number, string, string]>(
    `INSERT INTO hours VALUES (?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET requests = requests + 1`,
  );
  const take = db.prepare<[string, number, string, string]>(
    `UPDATE hours SET requests = requests - 1
     WHERE account_id = ? AND hour = ? AND key_id = ? AND operation = ? AND requests > 0`,
  );
  const forget = db.prepare<[number]>('DELETE FROM hours WHERE hour < ?');
  type Wanted = { accountId: string; fromMs: number; toMs: number; bucketMs: number };
  const grouped = (column: 'key_id' | 'operation') =>
    db.prepare<Wanted, HistoryRow>(
      `SELECT hour - hour % @bucketMs AS startMs, ${column} AS "group", sum(requests) AS requests FROM hours
       WHERE account_id = @accountId AND hour >= @fromMs AND hour < @toMs
       GROUP BY 1, 2 HAVING sum(requests) > 0 ORDER BY 1, 2`,
    );
  const byGroup = { key: grouped('key_id'), operation: grouped('operation') };
  return {
    add: (accountId: string, atMs: number, keyId: string, operation: string): void =>
      void add.run(accountId, hourOf(atMs), keyId, operation),
    take: (accountId: string, atMs: number, keyId: string, operation: string): void =>
      void take.run(accountId, hourOf(atMs), keyId, operation),
    history: ({ accountId, fromMs, toMs, bucket, groupBy }: HistoryQuestion): readonly HistoryRow[] =>
      byGroup[groupBy].all({ accountId, fromMs, toMs, bucketMs: bucket === 'hour' ? HOUR_MS : DAY_MS }),
    prune: (beforeMs: number): void => void forget.run(beforeMs),
  };
}

function hourOf(ms: number): number {
  return ms - (ms % HOUR_MS);
}

function periodAt(ms: number): string {
  return periodOf(new Date(ms).toISOString());
}

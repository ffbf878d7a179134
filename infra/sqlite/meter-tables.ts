/** The tables of meter.db, as of the last time that its journal was folded into them. */
import type { Database } from 'better-sqlite3';
import type {
  AccountMonth,
  HistoryBucket,
  HistoryGroup,
  HistoryQuestion,
  HistoryRow,
} from '../../src/ports/meter.ts';
import type { HourKey, Month, Unfolded } from './meter-counts.ts';

/** When the bucket of a row begins. */
const STARTS = {
  hour: 'hour',
  day: 'hour - hour % 86400000',
  month: "CAST(strftime('%s', hour / 1000, 'unixepoch', 'start of month') AS INTEGER) * 1000",
} as const satisfies Record<HistoryBucket, string>;

export interface MeterTables {
  readonly month: (accountId: string, period: string) => Month | undefined;
  /** Begins a month that is in no table: as it is, it is kept elsewhere. */
  readonly beginMonth: (month: AccountMonth) => void;
  readonly fold: (unfolded: Unfolded) => void;
  readonly history: (question: HistoryQuestion) => readonly HistoryRow[];
  readonly unsaved: (limit: number) => readonly AccountMonth[];
  readonly saved: (month: AccountMonth) => void;
  /** Forgets the hours before a time, and the months before a period. */
  readonly prune: (beforeMs: number, beforePeriod: string) => void;
}

interface MonthRow {
  readonly account_id: string;
  readonly period: string;
  readonly counted: number;
  readonly returned: number;
  readonly refused_by_minute: number;
  readonly refused_by_month: number;
}

export function meterTables(db: Database): MeterTables {
  const months = monthsOf(db);
  const hours = hoursOf(db);
  return {
    month: (accountId, period) => months.find(accountId, period),
    beginMonth: (month) => months.begin(month),
    fold(unfolded) {
      for (const month of unfolded.months) months.update(month);
      for (const { key, requests } of unfolded.hours.values()) hours.add(key, requests);
    },
    history: hours.history,
    unsaved: months.unsaved,
    saved: (month) => months.saved(month),
    prune(beforeMs, beforePeriod) {
      hours.prune(beforeMs);
      months.prune(beforePeriod);
    },
  };
}

function monthsOf(db: Database) {
  const select = db.prepare<[string, string], MonthRow>(
    'SELECT * FROM months WHERE account_id = ? AND period = ?',
  );
  const insert = db.prepare<[string, string, number, number, number]>(
    'INSERT INTO months (account_id, period, counted, returned, saved) VALUES (?, ?, ?, ?, ?)',
  );
  const update = db.prepare<[number, number, number, number, string, string]>(
    `UPDATE months SET counted = ?, returned = ?, refused_by_minute = ?, refused_by_month = ?
     WHERE account_id = ? AND period = ?`,
  );
  const selectUnsaved = db.prepare<[number], MonthRow>(
    'SELECT * FROM months WHERE counted + returned > saved ORDER BY account_id LIMIT ?',
  );
  const save = db.prepare<[number, string, string]>(
    'UPDATE months SET saved = max(saved, ?) WHERE account_id = ? AND period = ?',
  );
  const forget = db.prepare<[string]>('DELETE FROM months WHERE period < ?');
  return {
    find(accountId: string, period: string): Month | undefined {
      const row = select.get(accountId, period);
      if (row === undefined) return undefined;
      const refused = { minute: row.refused_by_minute, month: row.refused_by_month };
      return { ...accountMonth(row), refused };
    },
    begin({ accountId, period, totals: { counted, returned } }: AccountMonth): void {
      insert.run(accountId, period, counted, returned, counted + returned);
    },
    update({ accountId, period, totals, refused }: Month): void {
      update.run(totals.counted, totals.returned, refused.minute, refused.month, accountId, period);
    },
    unsaved: (limit: number): readonly AccountMonth[] => selectUnsaved.all(limit).map(accountMonth),
    saved({ accountId, period, totals }: AccountMonth): void {
      save.run(totals.counted + totals.returned, accountId, period);
    },
    prune: (before: string): void => void forget.run(before),
  };
}

function accountMonth({ account_id, period, counted, returned }: MonthRow): AccountMonth {
  return { accountId: account_id, period, totals: { counted, returned } };
}

function hoursOf(db: Database) {
  const add = db.prepare<[...HourKey, number, number]>(
    `INSERT INTO hours VALUES (?, ?, ?, ?, max(0, ?))
     ON CONFLICT DO UPDATE SET requests = max(0, requests + ?)`,
  );
  const forget = db.prepare<[number]>('DELETE FROM hours WHERE hour < ?');
  type Wanted = Pick<HistoryQuestion, 'accountId' | 'fromMs' | 'toMs' | 'limit'>;
  const columns: Record<HistoryGroup, string> = { key: 'key_id', operation: 'operation' };
  const select = (bucket: HistoryBucket, groupBy: HistoryGroup) =>
    db.prepare<Wanted, HistoryRow>(
      `SELECT ${STARTS[bucket]} AS startMs, ${columns[groupBy]} AS "group", sum(requests) AS requests FROM hours
       WHERE account_id = @accountId AND hour >= @fromMs AND hour < @toMs
       GROUP BY 1, 2 HAVING sum(requests) > 0 ORDER BY 1, 2 LIMIT @limit`,
    );
  return {
    add: (key: HourKey, requests: number): void => void add.run(...key, requests, requests),
    // Asked so seldom that it is prepared anew.
    history: ({ bucket, groupBy, ...wanted }: HistoryQuestion): readonly HistoryRow[] =>
      select(bucket, groupBy).all(wanted),
    prune: (beforeMs: number): void => void forget.run(beforeMs),
  };
}

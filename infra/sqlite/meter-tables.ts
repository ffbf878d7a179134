/** The tables of meter.db, as of the last time that its journal was folded into them. */
import type { Database } from 'better-sqlite3';
import type { AccountMonth } from '../../src/ports/meter.ts';
import type { HourKey, Month, Unfolded } from './meter-counts.ts';

export interface MeterTables {
  readonly month: (accountId: string, period: string) => Month | undefined;
  /** Begins a month that is in no table: as it is, it is kept elsewhere. */
  readonly beginMonth: (month: AccountMonth) => void;
  readonly fold: (unfolded: Unfolded) => void;
  readonly unsaved: (limit: number) => readonly AccountMonth[];
  readonly saved: (month: AccountMonth) => void;
  /** Forgets hours, days and months that are older, not too many at once. True where some are left. */
  readonly prune: (before: { hourMs: number; dayMs: number; period: string }) => boolean;
}

/** To forget them takes some milliseconds, in which nothing is counted. */
const FORGOTTEN_AT_ONCE = 5_000;

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
    unsaved: months.unsaved,
    saved: (month) => months.saved(month),
    prune({ hourMs, dayMs, period }) {
      months.prune(period);
      const forgotten = [hours.prune(hourMs), hours.pruneDays(dayMs)];
      return forgotten.some((count) => count === FORGOTTEN_AT_ONCE);
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
  const forget = (table: 'hours' | 'days', time: 'hour' | 'day') => {
    const key = `account_id, ${time}, key_id, operation`;
    return db.prepare<[number, number]>(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${time} < ? LIMIT ?)`,
    );
  };
  const [forgetHours, forgetDays] = [forget('hours', 'hour'), forget('days', 'day')];
  return {
    add: (key: HourKey, requests: number): void => void add.run(...key, requests, requests),
    prune: (beforeMs: number): number => forgetHours.run(beforeMs, FORGOTTEN_AT_ONCE).changes,
    pruneDays: (beforeMs: number): number => forgetDays.run(beforeMs, FORGOTTEN_AT_ONCE).changes,
  };
}

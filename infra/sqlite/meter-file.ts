/** The tables of meter.db. Used by two workers in each process: one counts, and one reads the history. */
import Database from 'better-sqlite3';
import { BUSY_TIMEOUT_MS, openDurableFile } from './durable-file.ts';

/** In the first one each request was a row of `minutes`; in the second one days were summed up from their hours. */
const FORMAT = 3;

const TABLES = `
  DROP TABLE IF EXISTS minutes;
  -- What was counted, batch by batch, as JSON (meter-counts.ts). Kept until it is in the other tables and a minute old.
  CREATE TABLE IF NOT EXISTS journal (
    batch INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    entries TEXT NOT NULL
  ) STRICT;
  -- One row: the last batch that is in months and hours.
  CREATE TABLE IF NOT EXISTS folded (batch INTEGER NOT NULL) STRICT;
  INSERT INTO folded SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM folded);
  CREATE TABLE IF NOT EXISTS months (
    account_id TEXT NOT NULL,
    period TEXT NOT NULL,
    counted INTEGER NOT NULL,
    returned INTEGER NOT NULL,
    refused_by_minute INTEGER NOT NULL DEFAULT 0,
    refused_by_month INTEGER NOT NULL DEFAULT 0,
    -- Counted and returned together, as they were when they were kept elsewhere last.
    saved INTEGER NOT NULL,
    PRIMARY KEY (account_id, period)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS months_unsaved ON months (account_id) WHERE counted + returned > saved;
  CREATE TABLE IF NOT EXISTS hours (
    account_id TEXT NOT NULL,
    -- Unix time of its beginning, in milliseconds.
    hour INTEGER NOT NULL,
    key_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (account_id, hour, key_id, operation)
  ) STRICT, WITHOUT ROWID;
  -- Old ones are forgotten together, whoever they are of.
  CREATE INDEX IF NOT EXISTS hours_by_age ON hours (hour);
  -- What the hours sum up to, kept for longer. By triggers, so that it holds whichever program writes the hours.
  CREATE TABLE IF NOT EXISTS days (
    account_id TEXT NOT NULL,
    day INTEGER NOT NULL,
    key_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (account_id, day, key_id, operation)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS days_by_age ON days (day);
  CREATE TRIGGER IF NOT EXISTS hours_begun AFTER INSERT ON hours BEGIN
    INSERT INTO days VALUES
      (new.account_id, new.hour - new.hour % 86400000, new.key_id, new.operation, new.requests)
    ON CONFLICT DO UPDATE SET requests = requests + excluded.requests;
  END;
  CREATE TRIGGER IF NOT EXISTS hours_changed AFTER UPDATE OF requests ON hours BEGIN
    UPDATE days SET requests = requests + new.requests - old.requests
    WHERE account_id = new.account_id AND day = new.hour - new.hour % 86400000
      AND key_id = new.key_id AND operation = new.operation;
  END;
`;

/** What a file of the second format has of days. */
const DAYS_OF_HOURS = `
  INSERT INTO days SELECT account_id, hour - hour % 86400000, key_id, operation, sum(requests) FROM hours GROUP BY 1, 2, 3, 4
`;

/** Opens the file, made where there is none. A commit is durable when it returns. */
export function openMeterFile(path: string): Database.Database {
  return openDurableFile(path, (db, format) => {
    if (format > FORMAT)
      throw new Error(`${path} is a meter of format ${format}, and this program knows none after ${FORMAT}`);
    db.exec(TABLES);
    if (format === 2) db.exec(DAYS_OF_HOURS);
    // Where nothing changes nothing is written: the first commit of a write-ahead log is one that is marked.
    if (format !== FORMAT) db.pragma(`user_version = ${FORMAT}`);
  });
}

/**
 * One more connection to the file, which this process has open. What lies beside it is not looked at again: with a
 * descriptor that is closed the process gives up its locks.
 */
export function connectToReadMeter(path: string): Database.Database {
  return new Database(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
}

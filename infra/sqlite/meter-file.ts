/** The tables of meter.db. Used by one worker in each process. */
import type { Database } from 'better-sqlite3';
import { openDurableFile } from './durable-file.ts';

/** In the first one each request was a row of `minutes`. */
const FORMAT = 2;

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
`;

/** Opens the file, made where there is none. A commit is durable when it returns. */
export function openMeterFile(path: string): Database {
  return openDurableFile(path, (db, format) => {
    if (format > FORMAT)
      throw new Error(`${path} is a meter of format ${format}, and this program knows none after ${FORMAT}`);
    db.exec(TABLES);
    // Where nothing changes nothing is written: the first commit of a write-ahead log is one that is marked.
    if (format !== FORMAT) db.pragma(`user_version = ${FORMAT}`);
  });
}

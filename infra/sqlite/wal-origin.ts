/**
 * Whether a write-ahead log that lies beside a database is its own. SQLite does not ask: laid on another file, or on an
 * older copy of its own, it makes a mixture of both that reads like any other. So the header of the file has a number
 * that is drawn anew by the first commits of each write-ahead log, which also keep the one before. The file as it lies on
 * the disk has one of the two: that before, until its first page is copied back, then the new one.
 */
import { randomInt } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';

/** Where SQLite keeps `PRAGMA application_id`, in bytes. */
const NUMBER_AT = 68;
const NUMBER_BYTES = 4;
const MAX_NUMBER = 2 ** 31 - 1;
/** The two salts, which are others in each write-ahead log. */
const SALTS_AT = 16;
const SALTS_BYTES = 8;
/** Beside a process that writes, the file may be a step further than the look at it a moment ago. */
const LOOKS = 5;

export const WAL_ORIGIN_TABLE = `
  CREATE TABLE IF NOT EXISTS wal_origin
    (one INTEGER PRIMARY KEY CHECK (one = 1), salts TEXT NOT NULL, before INTEGER NOT NULL) STRICT;
`;

/** @throws {SqliteError} the files are no database */
export function hasOwnWal(path: string): boolean {
  for (let look = 1; look <= LOOKS; look += 1) {
    if (!existsSync(`${path}-wal`) || statSync(`${path}-wal`).size === 0) return true;
    // Without SQLite, which would read it through the write-ahead log. To be closed before a connection is opened: a
    // process loses its locks of a file with any descriptor of it that it closes.
    const number = numberOf(path);
    if (number === null || numbersIn(path).includes(number)) return true;
  }
  return false;
}

/** Read only: the last connection that may write would copy the write-ahead log into the file as it is closed. */
function numbersIn(path: string): readonly number[] {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    const number = Number(db.pragma('application_id', { simple: true }));
    const hasTable = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'wal_origin'`).get() !== undefined;
    if (!hasTable) return [number];
    return [number, ...db.prepare<[], number>('SELECT before FROM wal_origin').pluck().all()];
  } finally {
    db.close();
  }
}

export interface WalMarker {
  /** To be called after each commit, outside of transactions. Never fails: what was committed is committed. */
  readonly mark: () => void;
  /** To be called once the connection is closed. */
  readonly close: () => void;
}

/** @param db the connection that writes, to a database that has {@link WAL_ORIGIN_TABLE} */
export function walMarker(db: Database.Database, path: string): WalMarker {
  const stored = db.prepare<[], string>('SELECT salts FROM wal_origin').pluck();
  const keep = db.prepare<[string, number]>('INSERT OR REPLACE INTO wal_origin VALUES (1, ?, ?)');
  const wal = walSalts(path);
  let file: number | null = null;
  let known = '';
  // Nobody else begins a write-ahead log meanwhile. But this very commit may, and is then met again by the next one: the
  // number that it drew is not on the disk yet, and none is drawn on top of it.
  const begin = db.transaction(() => {
    const salts = wal.now();
    file ??= openSync(path, 'r');
    const onDisk = numberAt(file);
    if (onDisk === null || stored.get() === salts) return salts;
    keep.run(salts, onDisk);
    if (onDisk === Number(db.pragma('application_id', { simple: true })))
      db.pragma(`application_id = ${randomInt(1, MAX_NUMBER)}`);
    return salts;
  });
  return {
    mark() {
      try {
        if (wal.now() !== known) known = begin.immediate();
      } catch {
        // The disk is full, the file locked or taken away: others tell of that, and the next commit tries again.
      }
    },
    close() {
      if (file !== null) closeSync(file);
      file = null;
      wal.close();
    },
  };
}

export interface WalSalts {
  /** Other ones in each write-ahead log; empty where there is none yet. @throws {Error} it cannot be read */
  readonly now: () => string;
  readonly close: () => void;
}

export function walSalts(path: string): WalSalts {
  const bytes = Buffer.alloc(SALTS_BYTES);
  let wal: number | null = null;
  return {
    now() {
      wal ??= openSync(`${path}-wal`, 'r');
      return readSync(wal, bytes, 0, SALTS_BYTES, SALTS_AT) === SALTS_BYTES ? bytes.toString('latin1') : '';
    },
    close() {
      if (wal !== null) closeSync(wal);
      wal = null;
    },
  };
}

/** Null where there is none to read, which SQLite says better. */
function numberOf(path: string): number | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return null;
  }
  try {
    return numberAt(file);
  } finally {
    closeSync(file);
  }
}

function numberAt(file: number): number | null {
  const bytes = Buffer.alloc(NUMBER_BYTES);
  return readSync(file, bytes, 0, NUMBER_BYTES, NUMBER_AT) === NUMBER_BYTES ? bytes.readInt32BE() : null;
}

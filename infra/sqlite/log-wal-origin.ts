/**
 * Whether the write-ahead log that lies beside a log is its own, as wal-origin.ts says it of other files; the header of
 * this one says whose it is and has no place for a number. SQLite keeps the last position that it gave (AUTOINCREMENT) in
 * a page of its own, which each append changes. As it lies on the disk, that page tells how far the file goes without its
 * write-ahead log. The first commits of each write-ahead log note how far that was, and of which log: the file that it is
 * laid on must be of this log, go so far at least, and no further than both together.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { lastPositionIn } from './last-position-page.ts';
import { type WalMarker, walSalts } from './wal-origin.ts';

/** Older programs pass over it. `page` is where the last position is kept; a file that was rewritten has it elsewhere. */
const TABLE = `
  CREATE TABLE IF NOT EXISTS wal_origin (
    one INTEGER PRIMARY KEY CHECK (one = 1), salts TEXT NOT NULL, log_id TEXT NOT NULL,
    page INTEGER NOT NULL, reached INTEGER NOT NULL
  ) STRICT;
`;
/** Beside a process that writes, the file may be a step further than the look at it a moment ago. */
const LOOKS = 5;

export function ensureLogWalOrigin(db: Database.Database): void {
  db.exec(TABLE);
}

/**
 * To be asked before this process opens the file: it loses its locks of a file with any descriptor of it that it closes.
 * @throws {SqliteError} the files are no database, or cannot be opened
 */
export function hasLogItsOwnWal(path: string): boolean {
  for (let look = 1; look <= LOOKS; look += 1) {
    if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return true;
    const together = lookAtBoth(path);
    if (together === null) return true;
    const { logId, origin, page, pageBytes, last } = together;
    if (origin.log_id !== logId) return false;
    if (origin.page !== page) return true;
    const reached = withFile(path, (file) => reachedOnDisk(file, page, pageBytes));
    if (reached >= origin.reached && reached <= last) return true;
  }
  return false;
}

interface Origin {
  readonly log_id: string;
  readonly page: number;
  readonly reached: number;
}

interface Together extends Place {
  readonly origin: Origin;
  readonly logId: string | null;
  readonly last: number;
}

/** Null where nothing was noted. Read only: the last connection that may write would copy one into the other at its end. */
function lookAtBoth(path: string): Together | null {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    const tables = db
      .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE name IN ('wal_origin', 'identity')`)
      .pluck()
      .all();
    const place = placeOf(db);
    if (place === null || tables.length < 2) return null;
    const origin = db.prepare<[], Origin>('SELECT log_id, page, reached FROM wal_origin').get();
    if (origin === undefined) return null;
    const last =
      db.prepare<[], number>(`SELECT seq FROM sqlite_sequence WHERE name = 'events'`).pluck().get() ?? 0;
    return { origin, logId: logIdOf(db), last, ...place };
  } finally {
    db.close();
  }
}

interface Place {
  readonly page: number;
  readonly pageBytes: number;
}

/** Where SQLite keeps the last position; null in a file that no log was made in yet. */
function placeOf(db: Database.Database): Place | null {
  const page = db
    .prepare<[], number>(`SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_sequence'`)
    .pluck()
    .get();
  return page === undefined ? null : { page, pageBytes: Number(db.pragma('page_size', { simple: true })) };
}

function logIdOf(db: Database.Database): string | null {
  return db.prepare<[], string>('SELECT log_id FROM identity').pluck().get() ?? null;
}

/** 0 where the page has not come to the disk yet, or is none of this kind. */
function reachedOnDisk(file: number, page: number, pageBytes: number): number {
  const bytes = Buffer.alloc(pageBytes);
  const read = readSync(file, bytes, 0, pageBytes, (page - 1) * pageBytes);
  return read < pageBytes ? 0 : (lastPositionIn(bytes, 'events') ?? 0);
}

/**
 * @param db the connection that writes
 * @param file a descriptor of the database, which is closed after every connection of this process
 */
export function logWalMarker(db: Database.Database, path: string, file: number): WalMarker {
  const salts = walSalts(path);
  let known = '';
  const begin = db.transaction(() => {
    const now = salts.now();
    const place = placeOf(db);
    const logId = logIdOf(db);
    const stored = db.prepare<[], string>('SELECT salts FROM wal_origin').pluck().get();
    if (place === null || logId === null || stored === now) return now;
    // Whoever copies meanwhile may leave one of two looks half done: the lower one is surely there.
    const looks = [1, 2].map(() => reachedOnDisk(file, place.page, place.pageBytes));
    db.prepare<[string, string, number, number]>(
      'INSERT OR REPLACE INTO wal_origin VALUES (1, ?, ?, ?, ?)',
    ).run(now, logId, place.page, Math.min(...looks));
    return now;
  });
  return {
    mark() {
      try {
        if (salts.now() !== known) known = begin.immediate();
      } catch {
        // The disk is full, the file locked or taken away, or the log was made where this could not be: others tell of
        // that, and the next commit tries again.
      }
    },
    close: salts.close,
  };
}

/** Within the transaction that gives the log another identity. */
export function renameLogOfWal(db: Database.Database, logId: string): void {
  const isThere = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'wal_origin'`).get() !== undefined;
  if (isThere) db.prepare<[string]>('UPDATE wal_origin SET log_id = ?').run(logId);
}

function withFile<T>(path: string, read: (file: number) => T): T {
  const file = openSync(path, 'r');
  try {
    return read(file);
  } finally {
    closeSync(file);
  }
}

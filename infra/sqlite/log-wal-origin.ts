/**
 * Whether the write-ahead log that lies beside a log is its own, as wal-origin.ts says it of other files; the header of
 * this one says whose it is and has no place for a number. SQLite keeps the last position that it gave (AUTOINCREMENT) in
 * a page of its own, which each append changes. As it lies on the disk, that page tells how far the file goes without its
 * write-ahead log. The first commit of each write-ahead log notes how far that was, and of which log: the file that it is
 * laid on must be of this log, go so far at least, and no further than both together.
 */
import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { hasTable, lookInto } from './connections.ts';
import { lacksCopiedPages } from './copied-wal.ts';
import { lastPositionIn } from './last-position-page.ts';
import { readAt, readFrom } from './read-from.ts';

/**
 * `page` is where the last position is kept; a file that was rewritten has it elsewhere. `salts` is empty: programs from
 * before kept there which write-ahead log they had noted it in.
 */
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
    if (lacksCopiedPages(path)) continue;
    if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return true;
    const together = lookInto(path, bothTogether);
    if (together === null) return true;
    const { logId, origin, page, pageBytes, last } = together;
    if (origin.log_id !== logId) return false;
    if (origin.page !== page) return true;
    const reached = readFrom(path, (file) => reachedOnDisk(file, together, Buffer.alloc(pageBytes))) ?? 0;
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

/** Null where nothing was noted. */
function bothTogether(db: Database.Database): Together | null {
  const place = placeOf(db);
  if (place === null || !hasTable(db, 'wal_origin') || !hasTable(db, 'identity')) return null;
  const origin = db.prepare<[], Origin>('SELECT log_id, page, reached FROM wal_origin').get();
  if (origin === undefined) return null;
  const last =
    db.prepare<[], number>(`SELECT seq FROM sqlite_sequence WHERE name = 'events'`).pluck().get() ?? 0;
  return { origin, logId: logIdOf(db), last, ...place };
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

/**
 * Null where the page has not come to the disk yet, or nothing was appended by then.
 * @param bytes room for a page
 */
function reachedOnDisk(file: number, { page, pageBytes }: Place, bytes: Buffer): number | null {
  return readAt(file, (page - 1) * pageBytes, bytes) ? lastPositionIn(bytes, 'events') : null;
}

export interface LogWalMarker {
  /**
   * To be called last in each transaction. A write-ahead log begins anew only with a transaction that found all of the one
   * before copied when it began: then the file on the disk goes as far as the log did, and this commit takes the note.
   * @param last how far the log surely went before this transaction
   * @throws {SqliteError} as any other write of it
   */
  readonly join: (last: number) => void;
}

/**
 * @param db the connection that writes
 * @param file a descriptor of the database, which is closed after every connection of this process
 */
export function logWalMarker(db: Database.Database, file: number): LogWalMarker {
  let place: Place | null = null;
  let bytes = Buffer.alloc(0);
  const look = (): number | null => (place === null ? null : reachedOnDisk(file, place, bytes));
  return {
    join(last) {
      let reached = look();
      if (reached === null) {
        // Never looked for yet, or the file was rewritten.
        place = placeOf(db);
        if (place !== null && place.pageBytes !== bytes.length) bytes = Buffer.alloc(place.pageBytes);
        reached = look();
      }
      if (place === null || (reached ?? 0) < last) return;
      note(db, place, reached ?? 0);
    },
  };
}

function note(db: Database.Database, { page }: Place, reached: number): void {
  const logId = hasTable(db, 'identity') ? logIdOf(db) : null;
  if (logId === null) return;
  // Not yet in one that was opened only to be looked at.
  ensureLogWalOrigin(db);
  db.prepare<[string, number, number]>(`INSERT OR REPLACE INTO wal_origin VALUES (1, '', ?, ?, ?)`).run(
    logId,
    page,
    reached,
  );
}

/** Within the transaction that gives the log another identity. */
export function renameLogOfWal(db: Database.Database, logId: string): void {
  if (hasTable(db, 'wal_origin')) db.prepare<[string]>('UPDATE wal_origin SET log_id = ?').run(logId);
}

/**
 * Whether a write-ahead log that lies beside a database is its own. SQLite does not ask: laid on another file, or on an
 * older copy of its own, it makes a mixture of both that reads like any other. So the header of the file has a number
 * that is drawn anew once it has come to the disk, within the very next commit, which also keeps the one on the disk. So
 * the first commit of each write-ahead log draws one, and so does the first after each time that pages were copied back.
 * The file as it lies on the disk has one of the two: the one before, until its first page is copied back, then the new one.
 */
import { randomInt } from 'node:crypto';
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { hasTable, lookInto } from './connections.ts';
import { lacksCopiedPages } from './copied-wal.ts';
import { readAt, readFrom } from './read-from.ts';

/** Where SQLite keeps `PRAGMA application_id`, in bytes. */
const NUMBER_AT = 68;
const NUMBER_BYTES = 4;
const MAX_NUMBER = 2 ** 31 - 1;
/** Beside a process that writes, the file may be a step further than the look at it a moment ago. */
const LOOKS = 5;

/** `salts` is empty: programs from before kept there which write-ahead log they had marked. */
export const WAL_ORIGIN_TABLE = `
  CREATE TABLE IF NOT EXISTS wal_origin
    (one INTEGER PRIMARY KEY CHECK (one = 1), salts TEXT NOT NULL, before INTEGER NOT NULL) STRICT;
`;

/** @throws {SqliteError} the files are no database */
export function hasOwnWal(path: string): boolean {
  for (let look = 1; look <= LOOKS; look += 1) {
    if (lacksCopiedPages(path)) continue;
    if (!existsSync(`${path}-wal`) || statSync(`${path}-wal`).size === 0) return true;
    // SQLite would read it through the write-ahead log.
    const number = readFrom(path, numberAt);
    if (number === null || lookInto(path, numbersIn).includes(number)) return true;
  }
  return false;
}

function numbersIn(db: Database.Database): readonly number[] {
  const number = numberThrough(db);
  if (!hasTable(db, 'wal_origin')) return [number];
  return [number, ...db.prepare<[], number>('SELECT before FROM wal_origin').pluck().all()];
}

export interface WalMarker {
  /** To be called last in each transaction. @throws {SqliteError} as any other write of it */
  readonly join: () => void;
  /** To be called after each commit, outside of transactions. Never fails: what was committed is committed. */
  readonly mark: () => void;
  /** A descriptor of the database, for markers of other connections of this process. */
  readonly file: number;
  /** To be called once the connection is closed, and all others that this process has to the file. */
  readonly close: () => void;
}

/**
 * @param db the connection that writes, to a database that has {@link WAL_ORIGIN_TABLE}
 * @param lent the descriptor of the marker that closes it: with any other that is closed the process gives up its locks
 */
export function walMarker(db: Database.Database, path: string, lent?: number): WalMarker {
  const keep = db.prepare<[number]>(`INSERT OR REPLACE INTO wal_origin VALUES (1, '', ?)`);
  // What only reads stays so: it has to succeed on a full disk.
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck();
  let seenChanges = changes.get();
  const hasWritten = (): boolean => changes.get() !== seenChanges;
  const file = lent ?? openSync(path, 'r');
  let isClosed = lent !== undefined;
  // On the disk, and surely not the last one that was drawn.
  let overtaken: number | null = null;
  const isOvertaken = (): boolean => numberAt(file) === overtaken;
  const draw = (): number | null => {
    const onDisk = numberAt(file);
    if (onDisk === null || onDisk !== numberThrough(db)) return onDisk;
    keep.run(onDisk);
    db.pragma(`application_id = ${randomInt(1, MAX_NUMBER)}`);
    return onDisk;
  };
  const drawAlone = db.transaction(draw);
  return {
    file,
    join() {
      // Until it is committed nothing is overtaken.
      if (!isOvertaken() && hasWritten()) draw();
    },
    // Somebody else may have copied everything back between the look of the transaction and its commit.
    mark() {
      try {
        if (!isOvertaken() && hasWritten()) overtaken = drawAlone.immediate();
        seenChanges = changes.get();
      } catch {
        // The disk is full, the file locked or taken away: others tell of that, and the next commit tries again.
      }
    },
    close() {
      // By a second time the descriptor may be of another file.
      if (!isClosed) closeSync(file);
      isClosed = true;
    },
  };
}

function numberThrough(db: Database.Database): number {
  return Number(db.pragma('application_id', { simple: true }));
}

function numberAt(file: number): number | null {
  const bytes = Buffer.alloc(NUMBER_BYTES);
  return readAt(file, NUMBER_AT, bytes) ? bytes.readInt32BE() : null;
}

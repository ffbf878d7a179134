/**
 * The identity of the embedded log and its running digest, kept in tables of their own beside the events. A digest is
 * kept every so many events and covers all before it: what lies between two of them is told by the id of the event, and
 * `bourse log check` computes all of them anew.
 */
import { hash, randomUUID } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { LogMark, LogMarks } from '../../events/log-mark.ts';
import { hasTable } from './connections.ts';
import { toPosition, toRow } from './log-position.ts';
import { reached } from './log-reader.ts';
import { renameLogOfWal } from './log-wal-origin.ts';

/** Between two digests: a millisecond of the writer's thread for each, and a row that nobody notices. */
export const DIGEST_EVERY_EVENTS = 1_024;

const TABLES = `
  CREATE TABLE identity (log_id TEXT NOT NULL) STRICT;
  CREATE TABLE digests (position INTEGER PRIMARY KEY, sha256 TEXT NOT NULL) STRICT;
`;

interface Digest {
  readonly row: number;
  readonly sha256: string;
}

/** Gives the log an identity if it has none yet. Digests are known from where it ends now: nothing stored is read. */
export function ensureIdentity(db: Database): void {
  if (hasIdentity(db)) return;
  const ensure = db.transaction(() => {
    if (hasIdentity(db)) return;
    db.exec(TABLES);
    setIdentity(db, randomUUID());
  });
  ensure.immediate();
}

/** Within a transaction. Digests begin anew: they cover the identity too. */
export function setIdentity(db: Database, logId: string): void {
  db.prepare('DELETE FROM identity').run();
  db.prepare('DELETE FROM digests').run();
  db.prepare('INSERT INTO identity VALUES (?)').run(logId);
  renameLogOfWal(db, logId);
  const last = db
    .prepare<[], { row: number; id: string }>(
      'SELECT position AS row, event_id AS id FROM events ORDER BY position DESC LIMIT 1',
    )
    .get();
  const sha256 = hash('sha256', `${logId} ${last?.id ?? ''}`, 'hex');
  db.prepare('INSERT INTO digests VALUES (?, ?)').run(last?.row ?? 0, sha256);
}

/** Not so in an older log that could not be written to since. */
export function hasIdentity(db: Database): boolean {
  return hasTable(db, 'identity');
}

export interface LogMarksTable {
  readonly logId: () => string | null;
  /** Of the last event at or before the row. */
  readonly at: (row: number) => LogMark | null;
  readonly eventIdAt: (row: number) => string | null;
  readonly digestAt: (row: number) => string | null;
}

interface StoredMark {
  readonly logId: string;
  readonly row: number;
  readonly eventId: string;
  readonly at: string;
  /** Null in a log that keeps no digest so far back. */
  readonly digestRow: number | null;
  readonly sha256: string | null;
}

/** @param db of a log that may have been opened where nothing can be written, and then have no identity */
export function logMarksTable(db: Database): LogMarksTable {
  const eventIdAt = db.prepare<[number], string>('SELECT event_id FROM events WHERE position = ?').pluck();
  const ids = { eventIdAt: (row: number) => eventIdAt.get(row) ?? null };
  if (!hasIdentity(db)) return { ...ids, logId: () => null, at: () => null, digestAt: () => null };
  const identity = db.prepare<[], string>('SELECT log_id FROM identity').pluck();
  // One question: each takes the locks of the file, and followers ask at every commit of theirs.
  const at = db.prepare<[number], StoredMark>(
    `SELECT log_id AS logId, event.position AS row, event_id AS eventId, at, digests.position AS digestRow, sha256
     FROM identity
     JOIN (SELECT position, event_id, at FROM events WHERE position <= ? ORDER BY position DESC LIMIT 1) AS event
     LEFT JOIN digests
       ON digests.position = (SELECT max(position) FROM digests WHERE position <= event.position)`,
  );
  const digestAt = db.prepare<[number], string>('SELECT sha256 FROM digests WHERE position = ?').pluck();
  return {
    ...ids,
    logId: () => identity.get() ?? null,
    at(row) {
      const mark = at.get(row);
      if (mark === undefined) return null;
      const { logId, eventId, digestRow, sha256 } = mark;
      const digest =
        digestRow === null || sha256 === null ? null : { position: toPosition(digestRow), sha256 };
      return { logId, position: toPosition(mark.row), eventId, at: mark.at, digest };
    },
    digestAt: (row) => digestAt.get(row) ?? null,
  };
}

/** As the port wants it. @throws {StoreDamaged | StoreUnavailable} as reads do */
export function logMarks(db: Database, adopt: LogMarks['adopt']): LogMarks {
  const read = <T>(work: () => T): T => reached(db, 'what the log says of itself', work);
  const table = read(() => logMarksTable(db));
  return {
    logId: () => read(table.logId),
    at: async (position) => read(() => table.at(toRow(position))),
    eventIdAt: async (position) => read(() => table.eventIdAt(toRow(position))),
    digestAt: async (position) => read(() => table.digestAt(toRow(position))),
    countBetween: (after, upTo) => toRow(upTo) - (after === null ? 0 : toRow(after)),
    adopt,
  };
}

/** The digest that follows another over these events. */
export function nextDigest(before: string, eventIds: readonly string[]): string {
  return hash('sha256', `${before} ${eventIds.join(' ')}`, 'hex');
}

/**
 * Keeps the digests that are due; to be called within the transaction that appended up to this row. Of what a program
 * that knew no digests has appended they are made up for.
 */
export function digestKeeper(db: Database): (head: number) => void {
  const last = db.prepare<[], Digest>(
    'SELECT position AS row, sha256 FROM digests ORDER BY position DESC LIMIT 1',
  );
  const ids = db
    .prepare<[number, number], string>(
      'SELECT event_id FROM events WHERE position > ? AND position <= ? ORDER BY position',
    )
    .pluck();
  // Another process may have kept the same one in the meantime.
  const keep = db.prepare<[number, string]>('INSERT OR IGNORE INTO digests VALUES (?, ?)');
  let due = 0;
  return (head) => {
    if (head < due) return;
    let digest = last.get();
    if (digest === undefined) return;
    for (let row = dueAfter(digest.row); row <= head; row = dueAfter(row)) {
      const sha256 = nextDigest(digest.sha256, ids.all(digest.row, row));
      keep.run(row, sha256);
      digest = { row, sha256 };
    }
    due = dueAfter(digest.row);
  };
}

function dueAfter(row: number): number {
  return row - (row % DIGEST_EVERY_EVENTS) + DIGEST_EVERY_EVENTS;
}

/** SQLite's failures in words: what is the matter, and what to do about it. */
import { isSqliteError } from './sqlite-error.ts';

const DAMAGED = 'it is damaged: stop, keep a copy of all its files, and see what `bourse log check` says';
const REASONS: readonly (readonly [code: string, why: string])[] = [
  ['SQLITE_FULL', 'its disk is full: make room'],
  ['SQLITE_READONLY', 'it is read-only: make the file, its folder and its file system writable'],
  ['SQLITE_BUSY', 'another program keeps it locked: end that program'],
  ['SQLITE_LOCKED', 'another program keeps it locked: end that program'],
  ['SQLITE_CORRUPT', DAMAGED],
  ['SQLITE_NOTADB', DAMAGED],
  ['SQLITE_CANTOPEN', 'it or its -wal or -shm cannot be opened: see that they are there and writable'],
  ['SQLITE_IOERR', 'its disk fails or takes no more: see what the system says of it'],
];

/** The reason, with SQLite's own words behind it; the error's message where it is none of SQLite's. */
export function whyOf(error: unknown): string {
  if (!isSqliteError(error)) return error instanceof Error ? error.message : String(error);
  const known = REASONS.find(([code]) => isSqliteError(error, code));
  return known === undefined ? error.message : `${known[1]} (${error.code}: ${error.message})`;
}

/** Whether the file holds what SQLite has not written there. */
export function isDamage(error: unknown): boolean {
  return isSqliteError(error, 'SQLITE_CORRUPT') || isSqliteError(error, 'SQLITE_NOTADB');
}

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

const OTHER_SCHEMA =
  /no such |has no column named|columns but \d+ values|does not match any|no query solution|unknown function|unrecognized option|malformed|parse error in/;

/** The reason, with SQLite's own words behind it; the error's message where it is none of SQLite's. */
export function whyOf(error: unknown): string {
  if (!isSqliteError(error)) return error instanceof Error ? error.message : String(error);
  const known = isOtherSchema(error) ? DAMAGED : REASONS.find(([code]) => isSqliteError(error, code))?.[1];
  return known === undefined ? error.message : `${known} (${error.code}: ${error.message})`;
}

/** Whether the file holds what SQLite has not written there. */
export function isDamage(error: unknown): boolean {
  return (
    isSqliteError(error, 'SQLITE_CORRUPT') || isSqliteError(error, 'SQLITE_NOTADB') || isOtherSchema(error)
  );
}

/**
 * The schema is a text in the file, and what is changed there may still be one: a column has another name then, and SQLite
 * speaks of an error in our question. Whoever opens a file makes what it lacks, so that a sound one knows every name.
 */
function isOtherSchema(error: unknown): boolean {
  return isSqliteError(error) && error.code === 'SQLITE_ERROR' && OTHER_SCHEMA.test(error.message);
}

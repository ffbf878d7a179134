import type { Database } from 'better-sqlite3';

/**
 * Writes a page without changing it, inside the caller's transaction: its commit tells whether the file can be written.
 * SQLite writes the header anew also where it is told the version that the file has already.
 */
export function touch(db: Database): void {
  const version = Number(db.pragma('user_version', { simple: true }));
  db.pragma(`user_version = ${version}`);
}

/** Whether another process has a database open. */
import { existsSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { hasLogItsOwnWal } from './log-wal-origin.ts';
import { isSqliteError } from './sqlite-error.ts';

/**
 * To be asked before this process opens the database itself: a connection in WAL mode keeps a shared lock for as long
 * as it lives, and an exclusive one is to be had beside none.
 */
export function isOpenElsewhere(path: string): boolean {
  if (!existsSync(path)) return false;
  let db: Database.Database | undefined;
  try {
    // Closed again, this connection would make one of the two.
    if (!hasLogItsOwnWal(path)) return false;
    db = new Database(path, { fileMustExist: true, timeout: 0 });
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
    // It copies the write-ahead log and removes it as it is closed, and uses no -shm: the one that is there would say that
    // the write-ahead log is missing. Nobody else has it open now.
    rmSync(`${path}-shm`, { force: true });
    return false;
  } catch (error) {
    // Whatever else is the matter with it is told by whoever opens it.
    return isSqliteError(error, 'SQLITE_BUSY');
  } finally {
    db?.close();
  }
}

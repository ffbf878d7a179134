/** Opens a database of this process's own tables, made where there is none. A commit is durable when it returns. */
import Database from 'better-sqlite3';
import { closedOnFailure } from './connections.ts';
import { hasOwnWal, WAL_ORIGIN_TABLE } from './wal-origin.ts';

export const BUSY_TIMEOUT_MS = 10_000;
const WAL_LIMIT_BYTES = 8 * 1024 * 1024;

/** @param upgrade makes of the format that the file has the one that it shall have, in one transaction; 0 is a new file */
export function openDurableFile(
  path: string,
  upgrade: (db: Database.Database, format: number) => void,
): Database.Database {
  if (!hasOwnWal(path))
    throw new Error(
      `it and its -wal do not belong together: one of them is of another moment or another market. Stop every process, and put the right one back, or a backup in the place of both and of its -shm`,
    );
  const db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
  return closedOnFailure(db, () => {
    prepare(db, upgrade);
    return db;
  });
}

function prepare(db: Database.Database, upgrade: (db: Database.Database, format: number) => void): void {
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`);
  const ready = db.transaction(() => {
    upgrade(db, Number(db.pragma('user_version', { simple: true })));
    // Older programs pass over it.
    db.exec(WAL_ORIGIN_TABLE);
  });
  ready.immediate();
}

/** Opens the file of the views and makes its registry: which generations there are and how far each has come. */
import Database from 'better-sqlite3';
import { ViewsUnavailable } from '../../projections/view-store.ts';
import { closedOnFailure } from './connections.ts';
import { WAL_LIMIT_BYTES } from './log-file.ts';
import { isSqliteError } from './sqlite-error.ts';
import { hasOwnWal, WAL_ORIGIN_TABLE } from './wal-origin.ts';
import { whyOf } from './why.ts';

const FORMAT = 2;
/** A writer in another process is waited for without blocking the event loop (view-errors.ts). */
const BLOCKING_TIMEOUT_MS = 5;
/** A thread copies the WAL back long before; where that cannot keep up, SQLite does it itself at 64 MiB. */
const WAL_LIMIT_PAGES = 16_384;
const CACHE_KIB = 16 * 1024;
const MAPPED_BYTES = 1024 * 1024 * 1024;

const SCHEMA = `
  CREATE TABLE generations (
    generation INTEGER PRIMARY KEY AUTOINCREMENT,
    view TEXT NOT NULL,
    version INTEGER NOT NULL,
    spec TEXT NOT NULL,
    live INTEGER NOT NULL,
    documents INTEGER NOT NULL DEFAULT 0,
    moves INTEGER NOT NULL DEFAULT 0,
    checkpoint TEXT,
    listed_to INTEGER NOT NULL,
    stuck TEXT,
    mark TEXT
  ) STRICT;
  CREATE UNIQUE INDEX one_live_generation ON generations (view) WHERE live = 1;
  CREATE TABLE skipped (
    view TEXT NOT NULL,
    event_id TEXT NOT NULL,
    by TEXT NOT NULL,
    reason TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (view, event_id)
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = ${FORMAT};
`;

/**
 * @param use prepares what is asked of it: of a damaged file the tables may have other columns
 * @throws {ViewsUnavailable} the file cannot be used; the message says why. It can be deleted, and is rebuilt
 */
export function openViewFile<Used>(path: string, use: (db: Database.Database) => Used): Used {
  return explained(path, () => {
    assertOwnWal(path);
    return connect(path, use);
  });
}

/**
 * One more connection to a file that this process has open. What it has beside it is not looked at again: with a descriptor
 * that is closed the process gives up its locks, and the next program to end would take the write-ahead log away from it.
 * @throws {ViewsUnavailable}
 */
export function connectToViewFile<Used>(path: string, use: (db: Database.Database) => Used): Used {
  return explained(path, () => connect(path, use));
}

function explained<Used>(path: string, open: () => Used): Used {
  try {
    return open();
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    throw new ViewsUnavailable(`the views in ${path} cannot be opened: ${whyOf(error)}`, { cause: error });
  }
}

/**
 * Reads of documents and pages are quicker from a mapped file, whose pages count as memory of the process. One that only
 * projects asks for none of them, and does without.
 */
export function mapForReading(db: Database.Database): void {
  db.pragma(`mmap_size = ${MAPPED_BYTES}`);
}

function assertOwnWal(path: string): void {
  if (hasOwnWal(path)) return;
  throw new ViewsUnavailable(
    `${path} and ${path}-wal do not belong together: one of them is of another moment or another market. Put the right one back; or remove both and ${path}-shm, and the views are built anew`,
  );
}

function connect<Used>(path: string, use: (db: Database.Database) => Used): Used {
  return closedOnFailure(new Database(path, { timeout: 5_000 }), (db) => {
    prepare(db, path);
    return use(db);
  });
}

function prepare(db: Database.Database, path: string): void {
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.pragma(`wal_autocheckpoint = ${WAL_LIMIT_PAGES}`);
  db.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`);
  db.pragma(`cache_size = -${CACHE_KIB}`);
  db.transaction(() => {
    const format = db.pragma('user_version', { simple: true });
    if (format === 0) db.exec(SCHEMA);
    else if (format !== FORMAT)
      throw new ViewsUnavailable(`${path} keeps views in format ${String(format)}, not ${FORMAT}: delete it`);
    else if (!hasMarks(db)) db.exec('ALTER TABLE generations ADD COLUMN mark TEXT');
    // Older programs pass over it.
    db.exec(WAL_ORIGIN_TABLE);
  }).immediate();
  db.pragma(`busy_timeout = ${BLOCKING_TIMEOUT_MS}`);
}

/** Older programs know no marks, and can go on without: so they are not a format of their own. */
function hasMarks(db: Database.Database): boolean {
  return db.prepare(`SELECT 1 FROM pragma_table_info('generations') WHERE name = 'mark'`).get() !== undefined;
}

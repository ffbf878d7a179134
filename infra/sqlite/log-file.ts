/** Opens the file of the embedded log: for the process that reads it, and for the worker that writes it. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { ensureIdentity } from './log-marks.ts';
import { ensureLogWalOrigin, hasLogItsOwnWal } from './log-wal-origin.ts';
import { createLog, identifyLog, UnusableLogFile } from './log-schema.ts';
import { isSqliteError } from './sqlite-error.ts';
import { whyOf } from './why.ts';

/**
 * Beyond this the WAL is copied into the database; SQLite cuts the file back to it afterwards. With a quarter of it pages
 * are copied so much more often that a trial costs 6 % more of CPU. Four times as much saves 4 % more, and is too much to
 * read when the log is opened after a crash.
 */
export const WAL_LIMIT_BYTES = 16 * 1024 * 1024;

/** A read waits for a lock only while another process recovers the log after a crash. It blocks the event loop. */
const READ_PATIENCE_MS = 50;
const SETUP_TRIES = 100;
const SETUP_PAUSE_MS = 20;

/**
 * A read-only connection to the log, which is created or brought up to date first where that is needed and possible.
 * @param isLeftAlone nothing of it is created or changed
 * @throws {UnusableLogFile} no folder, no log and no way to make one, or the file is something else
 */
export async function openLogForReading(path: string, isLeftAlone = false): Promise<Database.Database> {
  const folder = dirname(path);
  if (!existsSync(folder)) throw new UnusableLogFile(`the folder ${folder} of the log does not exist`);
  if (isLeftAlone && !existsSync(path)) throw new UnusableLogFile(`there is no log at ${path}`);
  if (existsSync(path)) assertOwnWal(path);
  if (!isLeftAlone && isWritable(folder) && (!existsSync(path) || isWritable(path))) await setUp(path);
  else if (!existsSync(path))
    throw new UnusableLogFile(`there is no log at ${path}, and ${folder} is read-only`);
  return explained(path, () => openReader(path));
}

/** SQLite would lay it on whatever file has its name, and the first to close would make one of both. */
function assertOwnWal(path: string): void {
  try {
    if (explained(path, () => hasLogItsOwnWal(path))) return;
  } catch (error) {
    // Where nothing can be written it needs files that are not there, which is told better below.
    if (error instanceof UnusableLogFile && isSqliteError(error.cause, 'SQLITE_CANTOPEN')) return;
    throw error;
  }
  throw new UnusableLogFile(
    `${path} and ${path}-wal do not belong together: one of them is of another moment or another market, or is damaged. Stop every process, and put the right one back, or both from a backup without the -shm that is there. Without any, move the -wal and the -shm elsewhere: the file alone is then compared with what its followers know`,
  );
}

/** The connection of the one writer. FULL: a commit is on the disk, not only in its cache, before it is answered. */
export function openLogForWriting(path: string): Database.Database {
  const db = new Database(path, { fileMustExist: true, timeout: 0 });
  db.pragma('synchronous = FULL');
  db.pragma('wal_autocheckpoint = 0');
  db.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`);
  identifyLog(db);
  return db;
}

/** Several processes may start at once on an empty folder, and the change to WAL does not wait for a lock. */
async function setUp(path: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return explained(path, () => setUpOnce(path));
    } catch (error) {
      if (!isSqliteError(error, 'SQLITE_BUSY')) throw error;
      if (tries === SETUP_TRIES) throw new UnusableLogFile(`${path}: ${whyOf(error)}`, { cause: error });
      await delay(SETUP_PAUSE_MS);
    }
  }
}

function setUpOnce(path: string): void {
  const db = new Database(path, { timeout: 0 });
  try {
    const state = identifyLog(db);
    // Also on a log: a backup that was put in its place need not be in this mode.
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    if (state === 'empty') createLog(db);
    ensureIdentity(db);
    ensureLogWalOrigin(db);
  } finally {
    db.close();
  }
}

function openReader(path: string): Database.Database {
  const db = new Database(path, { readonly: true, fileMustExist: true, timeout: READ_PATIENCE_MS });
  try {
    if (identifyLog(db) === 'log') return db;
    throw new UnusableLogFile(`${path} is empty and read-only`);
  } catch (error) {
    db.close();
    // On a read-only file system SQLite needs the files that belong to a WAL, and a closed log keeps them.
    if (!isSqliteError(error, 'SQLITE_CANTOPEN')) throw error;
    throw new UnusableLogFile(
      `${path} is read-only and lacks its -wal or -shm: open it once where it is not`,
    );
  }
}

/** How large the write-ahead log of a database is. */
export function walBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function explained<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (isSqliteError(error, 'SQLITE_NOTADB')) throw new UnusableLogFile(`${path} is not a database`);
    if (isSqliteError(error, 'SQLITE_CANTOPEN'))
      throw new UnusableLogFile(`${path} cannot be opened: ${error.message}`, { cause: error });
    // Whoever sets it up tries again while another program keeps it locked.
    if (isSqliteError(error) && !isSqliteError(error, 'SQLITE_BUSY'))
      throw new UnusableLogFile(`${path}: ${whyOf(error)}`, { cause: error });
    throw error;
  }
}

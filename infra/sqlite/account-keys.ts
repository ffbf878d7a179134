/**
 * The AccountKeys port in people.db. Keys are made and erased by a worker, many in one commit, since a commit syncs the
 * disk several times. They are looked for on the event loop, which takes microseconds, except while somebody commits: a
 * rollback journal keeps readers out then, and the worker waits in place of the event loop.
 */
import type { Worker } from 'node:worker_threads';
import { type AccountKeys, AccountKeysUnavailable, type FoundKey } from '../../src/ports/account-keys.ts';
import { type AccountKeyCalls, keyFinder, openAccountKeysFile } from './account-keys-file.ts';
import { CallThread } from './call-thread.ts';
import { displacement, type OpenFiles, openFiles } from './open-files.ts';
import { spawnWorker } from './spawn-worker.ts';
import { isSqliteError } from './sqlite-error.ts';

/** A look at the file costs more than the encrypting of a text: it is looked at now and then. */
const LOOK_EVERY_MS = 250;

/** Opens the file, made where there is none. @throws {AccountKeysUnavailable} it cannot be used; the message says why */
export function openSqliteAccountKeys(path: string): AccountKeys {
  const { db, find } = asking(path, () => opened(path));
  const files = openFiles(path);
  const thread = new CallThread<AccountKeyCalls>({
    file: 'key store',
    startWorker: () => startWorker(files),
    Unavailable: AccountKeysUnavailable,
  });
  const look = (accountId: string): FoundKey | 'locked' =>
    asking(path, () => {
      assertInPlace(files);
      return unlessLocked(() => find(accountId));
    });
  const told: (() => void)[] = [];
  // It alone does not keep the process alive.
  const timer = setInterval(() => {
    if (displacement(files) !== null) for (const forget of told) forget();
  }, LOOK_EVERY_MS).unref();
  return {
    async keyFor(accountId) {
      const known = look(accountId);
      return known === 'absent' || known === 'locked' ? thread.ask('keyFor', accountId) : known;
    },
    async find(accountId) {
      const known = look(accountId);
      return known === 'locked' ? thread.ask('find', accountId) : known;
    },
    erase: (accountId) => thread.ask('erase', accountId),
    onTakenAway: (forget) => void told.push(forget),
    async close() {
      clearInterval(timer);
      await thread.close();
      db.close();
    },
  };
}

function startWorker(files: OpenFiles): Worker {
  return spawnWorker('./account-keys-worker', files);
}

function opened(path: string) {
  const db = openAccountKeysFile(path);
  const find = keyFinder(db);
  db.pragma('busy_timeout = 0');
  return { db, find };
}

function unlessLocked<Found>(find: () => Found): Found | 'locked' {
  try {
    return find();
  } catch (error) {
    if (isSqliteError(error, 'SQLITE_BUSY')) return 'locked';
    throw error;
  }
}

/** What is written to a file that was taken away is lost, and with a key all that is encrypted with it. */
function assertInPlace(files: OpenFiles): void {
  const displaced = displacement(files);
  if (displaced !== null) throw new AccountKeysUnavailable(displaced);
}

/** What the file system or SQLite refuses may pass, and is nobody's bug. @throws {AccountKeysUnavailable} */
function asking<Answer>(path: string, ask: () => Answer): Answer {
  try {
    return ask();
  } catch (error) {
    const isOfFile = isSqliteError(error) || (error instanceof Error && 'syscall' in error);
    if (!isOfFile) throw error;
    throw new AccountKeysUnavailable(`${path} cannot be used (${error.message})`, { cause: error });
  }
}

/**
 * The AccountKeys port in people.db, a file of its own. A rollback journal and `secure_delete` let no copy of an erased
 * key stay in the file or in a WAL; `synchronous = EXTRA` makes a commit durable with such a journal too. It is read and
 * written on the event loop: a key is made once in an account's life, and is then remembered by whoever uses it.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import {
  ACCOUNT_KEY_BYTES,
  type AccountKeys,
  AccountKeysUnavailable,
  type FoundKey,
} from '../../src/ports/account-keys.ts';
import { displacement, openFiles, type OpenFiles } from './open-files.ts';
import { isSqliteError } from './sqlite-error.ts';

const BUSY_TIMEOUT_MS = 2_000;
const OWNER_ONLY = 0o600;
const FORMAT = 1;

interface Row {
  /** Null: erased. */
  readonly key: Buffer | null;
}

/** Opens the file, made where there is none. @throws {AccountKeysUnavailable} it cannot be used; the message says why */
export function openSqliteAccountKeys(path: string): AccountKeys {
  const db = openFile(path);
  const { select, insert, erase } = asking(path, () => statementsFor(db));
  const files = openFiles(path);
  const find = (accountId: string): FoundKey => {
    assertInPlace(files);
    return found(select.get(accountId));
  };
  const keyFor = (accountId: string): Exclude<FoundKey, 'absent'> => {
    const before = find(accountId);
    if (before !== 'absent') return before;
    insert.run(accountId, randomBytes(ACCOUNT_KEY_BYTES));
    // Another process may have been first.
    const made = find(accountId);
    if (made === 'absent') throw new Error(`the key of ${accountId} was made and is not there`);
    return made;
  };
  return {
    keyFor: async (accountId) => asking(path, () => keyFor(accountId)),
    find: async (accountId) => asking(path, () => find(accountId)),
    erase: async (accountId) =>
      asking(path, () => {
        assertInPlace(files);
        erase.run(accountId);
      }),
    close: async () => void db.close(),
  };
}

/** Of a damaged file the table may have other columns. */
function statementsFor(db: Database.Database) {
  return {
    select: db.prepare<[string], Row>('SELECT key FROM account_keys WHERE account_id = ?'),
    insert: db.prepare<[string, Buffer]>('INSERT OR IGNORE INTO account_keys VALUES (?, ?)'),
    erase: db.prepare<[string]>(
      'INSERT INTO account_keys VALUES (?, NULL) ON CONFLICT DO UPDATE SET key = NULL',
    ),
  };
}

/** What is written to a file that was taken away is lost, and with a key all that is encrypted with it. */
function assertInPlace(files: OpenFiles): void {
  const displaced = displacement(files);
  if (displaced !== null) throw new AccountKeysUnavailable(displaced);
}

function found(row: Row | undefined): FoundKey {
  if (row === undefined) return 'absent';
  return row.key === null ? 'erased' : { key: row.key };
}

function openFile(path: string): Database.Database {
  return asking(path, () => {
    // SQLite gives its journal the file's own mode.
    closeSync(openSync(path, 'a', OWNER_ONLY));
    const db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    db.pragma('journal_mode = DELETE');
    db.pragma('synchronous = EXTRA');
    db.pragma('secure_delete = ON');
    db.transaction(() => {
      const format = Number(db.pragma('user_version', { simple: true }));
      if (format > FORMAT)
        throw new AccountKeysUnavailable(
          `${path} is of format ${format}, and this program knows none after ${FORMAT}`,
        );
      db.exec(
        'CREATE TABLE IF NOT EXISTS account_keys (account_id TEXT PRIMARY KEY, key BLOB) STRICT, WITHOUT ROWID',
      );
      db.pragma(`user_version = ${FORMAT}`);
    }).immediate();
    return db;
  });
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

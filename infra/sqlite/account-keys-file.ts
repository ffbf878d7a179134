/**
 * The table of people.db, a file of its own, and what can be asked of it by name. A rollback journal and `secure_delete`
 * let no copy of an erased key stay in the file or in a WAL; `synchronous = EXTRA` makes a commit durable with such a
 * journal too.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { ACCOUNT_KEY_BYTES, AccountKeysUnavailable, type FoundKey } from '../../src/ports/account-keys.ts';

const BUSY_TIMEOUT_MS = 2_000;
const OWNER_ONLY = 0o600;
const FORMAT = 1;

/** Each runs inside a transaction of its caller. */
export type AccountKeyCalls = {
  readonly keyFor: (accountId: string) => Exclude<FoundKey, 'absent'>;
  readonly find: (accountId: string) => FoundKey;
  readonly erase: (accountId: string) => void;
};

/** @throws {SqliteError} of a damaged file the table may have other columns */
export function accountKeyCalls(db: Database.Database): AccountKeyCalls {
  const find = keyFinder(db);
  const insert = db.prepare<[string, Buffer]>('INSERT INTO account_keys VALUES (?, ?)');
  const erase = db.prepare<[string]>(
    'INSERT INTO account_keys VALUES (?, NULL) ON CONFLICT DO UPDATE SET key = NULL',
  );
  return {
    keyFor(accountId) {
      const before = find(accountId);
      if (before !== 'absent') return before;
      const key = randomBytes(ACCOUNT_KEY_BYTES);
      insert.run(accountId, key);
      return { key };
    },
    find,
    erase: (accountId) => void erase.run(accountId),
  };
}

interface Row {
  /** Null: erased. */
  readonly key: Buffer | null;
}

export function keyFinder(db: Database.Database): (accountId: string) => FoundKey {
  const select = db.prepare<[string], Row>('SELECT key FROM account_keys WHERE account_id = ?');
  return (accountId) => {
    const row = select.get(accountId);
    if (row === undefined) return 'absent';
    return row.key === null ? 'erased' : { key: row.key };
  };
}

/** Opens the file, made where there is none, with its table. */
export function openAccountKeysFile(path: string): Database.Database {
  // SQLite gives its journal the file's own mode.
  closeSync(openSync(path, 'a', OWNER_ONLY));
  const db = connectToAccountKeys(path);
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
}

/** One more connection to the file. */
export function connectToAccountKeys(path: string): Database.Database {
  const db = new Database(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true });
  db.pragma('journal_mode = DELETE');
  db.pragma('synchronous = EXTRA');
  db.pragma('secure_delete = ON');
  return db;
}

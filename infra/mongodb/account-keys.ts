/**
 * The AccountKeys port in MongoDB. Unlike the views beside it this collection is primary data. What is read of it has
 * reached a majority: a key that a failover could still take back must encrypt nothing.
 */
import { randomBytes } from 'node:crypto';
import { Binary, ReadConcern } from 'mongodb';
import { ViewsUnavailable } from '../../projections/view-store.ts';
import {
  ACCOUNT_KEY_BYTES,
  type AccountKeys,
  AccountKeysUnavailable,
  type FoundKey,
} from '../../src/ports/account-keys.ts';
import { connectMongo, type MongoLink, type MongoOptions } from './connection.ts';
import { insertOnce } from './insert-once.ts';

interface StoredKey {
  /** The account. */
  readonly _id: string;
  /** Null: erased. */
  readonly key: Binary | null;
}

/** @throws {AccountKeysUnavailable} it cannot be reached, lets nobody in, or is too old: one line that says why */
export async function openMongoAccountKeys(options: MongoOptions): Promise<AccountKeys> {
  return mongoAccountKeys(await asking(() => connectMongo(options)));
}

export function mongoAccountKeys({ db, ask, maxTimeMS, close }: MongoLink): AccountKeys {
  const keys = db.collection<StoredKey>('account_keys');
  const readConcern = new ReadConcern('majority');
  const find = async (accountId: string): Promise<FoundKey> =>
    found(await ask(() => keys.findOne({ _id: accountId }, { readConcern, maxTimeMS })));

  async function keyFor(accountId: string): Promise<Exclude<FoundKey, 'absent'>> {
    const before = await find(accountId);
    if (before !== 'absent') return before;
    const key = new Binary(randomBytes(ACCOUNT_KEY_BYTES));
    await ask(() => insertOnce(() => keys.insertOne({ _id: accountId, key })));
    // Another process may have been first.
    const made = await find(accountId);
    if (made !== 'absent') return made;
    throw new AccountKeysUnavailable(`the key of ${accountId} has not reached a majority of MongoDB yet`);
  }

  async function erase(accountId: string): Promise<void> {
    const isFirst = await ask(() => insertOnce(() => keys.insertOne({ _id: accountId, key: null })));
    if (!isFirst) await ask(() => keys.updateOne({ _id: accountId }, { $set: { key: null } }));
  }

  return {
    keyFor: (accountId) => asking(() => keyFor(accountId)),
    find: (accountId) => asking(() => find(accountId)),
    erase: (accountId) => asking(() => erase(accountId)),
    close,
  };
}

function found(stored: StoredKey | null): FoundKey {
  if (stored === null) return 'absent';
  return stored.key === null ? 'erased' : { key: stored.key.value() };
}

/** The connection speaks of views. */
async function asking<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ViewsUnavailable)) throw error;
    const { cause = error } = error;
    throw new AccountKeysUnavailable('the keys of accounts in MongoDB cannot be read or written', { cause });
  }
}

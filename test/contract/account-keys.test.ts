import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { createMemoryAccountKeys } from './memory/account-keys.ts';
import { openMongoAccountKeys } from '../../infra/mongodb/account-keys.ts';
import { openSqliteAccountKeys } from '../../infra/sqlite/account-keys.ts';
import { AccountKeysUnavailable } from '../../src/ports/account-keys.ts';
import { newMongoDatabase, startMongo, withMongo, withOwnMongo } from '../support/mongodb-server.ts';
import { rejectionOf } from '../support/rejection.ts';
import { tempFolder, type TempFolder } from '../support/temp-folder.ts';
import { accountKeysContract } from './account-keys.contract.ts';

accountKeysContract('memory', async () => {
  const keys = createMemoryAccountKeys();
  return { mine: keys, theirs: keys, close: keys.close };
});

accountKeysContract('SQLite', async () => {
  const folder = await tempFolder();
  const mine = openSqliteAccountKeys(folder.file('people.db'));
  const theirs = openSqliteAccountKeys(folder.file('people.db'));
  return {
    mine,
    theirs,
    close: async () => {
      await Promise.all([mine.close(), theirs.close()]);
      await folder.remove();
    },
  };
});

withMongo('AccountKeys: MongoDB', () =>
  accountKeysContract('MongoDB', async () => {
    const database = await newMongoDatabase();
    const [mine, theirs] = await Promise.all([
      openMongoAccountKeys({ url: database.url }),
      openMongoAccountKeys({ url: database.url }),
    ]);
    return {
      mine,
      theirs,
      close: async () => {
        await Promise.all([mine.close(), theirs.close()]);
        await database.close();
      },
    };
  }),
);

withOwnMongo('The keys of accounts in MongoDB', () => {
  it('say that they are away, and have kept the key when they are back', async () => {
    const server = await startMongo();
    const keys = await openMongoAccountKeys({ url: server.url, deadlineMs: 1_000 });
    const before = await keys.keyFor('acc_1');
    await server.kill();
    expect(await rejectionOf(keys.keyFor('acc_2'))).to.be.instanceOf(AccountKeysUnavailable);
    expect(await rejectionOf(keys.find('acc_1'))).to.be.instanceOf(AccountKeysUnavailable);
    await server.start();
    const again = await openMongoAccountKeys({ url: server.url });
    expect(await again.find('acc_1')).to.deep.equal(before);
    await Promise.all([keys.close(), again.close()]);
    await server.close();
  });
});

describe('The keys of accounts in SQLite', () => {
  let folder: TempFolder;
  beforeEach(async () => void (folder = await tempFolder()));
  afterEach(() => folder.remove());

  it('are in a file that is its owner’s alone, and are there after the next start', async () => {
    const path = folder.file('people.db');
    const first = openSqliteAccountKeys(path);
    const made = await first.keyFor('acc_1');
    await first.close();
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    const next = openSqliteAccountKeys(path);
    expect(await next.find('acc_1')).to.deep.equal(made);
    await next.close();
  });

  it('leave no byte of an erased key behind', async () => {
    const path = folder.file('people.db');
    const keys = openSqliteAccountKeys(path);
    const made = await keys.keyFor('acc_1');
    if (made === 'erased') throw new Error('it was never erased');
    const isThere = async (): Promise<boolean> => (await readFile(path)).includes(Buffer.from(made.key));
    expect(await isThere()).to.equal(true);
    await keys.erase('acc_1');
    expect(await isThere()).to.equal(false);
    await keys.close();
  });

  it('are made while the event loop goes on, and those that are there are found meanwhile', async () => {
    const path = folder.file('people.db');
    const keys = openSqliteAccountKeys(path);
    const known = await keys.keyFor('acc_1');
    const other = new Database(path);
    other.exec('BEGIN IMMEDIATE');
    const made = keys.keyFor('acc_2');
    expect(await keys.find('acc_1')).to.deep.equal(known);
    expect(await keys.find('acc_2')).to.equal('absent');
    other.exec('COMMIT');
    expect(await made).to.have.property('key');
    other.exec('BEGIN EXCLUSIVE');
    const found = keys.find('acc_1');
    other.exec('COMMIT');
    expect(await found).to.deep.equal(known);
    other.close();
    await keys.close();
  });

  it('are made in one commit where many are asked for at once', async () => {
    const path = folder.file('people.db');
    const keys = openSqliteAccountKeys(path);
    // SQLite counts its commits there.
    const commits = async (): Promise<number> => (await readFile(path)).readUInt32BE(24);
    const before = await commits();
    const made = await Promise.all(Array.from({ length: 100 }, (_, i) => keys.keyFor(`acc_${i}`)));
    expect(await commits()).to.equal(before + 1);
    expect(await Promise.all(made.map((_, i) => keys.find(`acc_${i}`)))).to.deep.equal(made);
    await keys.close();
  });

  it('say in one line why the file cannot be used', async () => {
    expect(() => openSqliteAccountKeys(folder.file('nowhere/people.db'))).to.throw(
      AccountKeysUnavailable,
      'nowhere/people.db cannot be used',
    );
    await writeFile(
      folder.file('other.db'),
      'this is no database, and long enough to be seen as none'.repeat(20),
    );
    expect(() => openSqliteAccountKeys(folder.file('other.db'))).to.throw(AccountKeysUnavailable, 'other.db');
    const damaged = new Database(folder.file('damaged.db'));
    damaged.exec('CREATE TABLE account_keys (accouNt_ic TEXT PRIMARY KEY, key BLOB) STRICT, WITHOUT ROWID');
    damaged.close();
    expect(() => openSqliteAccountKeys(folder.file('damaged.db'))).to.throw(
      AccountKeysUnavailable,
      'no such column',
    );
  });

  it('make none once the file was taken away', async () => {
    const path = folder.file('people.db');
    const keys = openSqliteAccountKeys(path);
    await keys.keyFor('acc_1');
    await rename(path, folder.file('elsewhere.db'));
    const refusal = await rejectionOf(keys.keyFor('acc_2'));
    expect(refusal).to.be.instanceOf(AccountKeysUnavailable);
    expect(String(refusal)).to.include('people.db was removed while it was open');
    expect(await rejectionOf(keys.erase('acc_1'))).to.be.instanceOf(AccountKeysUnavailable);
    await rename(folder.file('elsewhere.db'), path);
    expect(await keys.keyFor('acc_2')).to.have.property('key');
    await keys.close();
  });

  it('refuse a file of a later release', async () => {
    const path = folder.file('people.db');
    await openSqliteAccountKeys(path).close();
    const file = new Database(path);
    file.pragma('user_version = 99');
    file.close();
    expect(() => openSqliteAccountKeys(path)).to.throw(AccountKeysUnavailable, 'format 99');
  });
});

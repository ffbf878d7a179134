/** Texts of accounts by their keys: remembered, erased, and never made unreadable without a word. */
import { rename } from 'node:fs/promises';
import { expect } from 'chai';
import { openSqliteAccountKeys } from '../../../infra/sqlite/account-keys.ts';
import { createMemoryAccountKeys } from '../../contract/memory/account-keys.ts';
import {
  createPrivateTexts,
  type PrivateTexts,
} from '../../../src/operations/private-texts/private-texts.ts';
import { type AccountKeys, AccountKeysUnavailable } from '../../../src/ports/account-keys.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { until } from '../../support/until.ts';

const OF = 'order spd_1';

async function written(texts: PrivateTexts, accountId = 'acc_1') {
  const cipher = await texts.cipherOf(accountId);
  if (cipher === null) throw new Error('the account was erased');
  return cipher.encrypt(OF, JSON.stringify({ brief: 'Do it.' }));
}

/** Counts how often the store is asked. */
function counting(keys: AccountKeys) {
  const asked = { count: 0 };
  const count =
    <Answer>(ask: (accountId: string) => Promise<Answer>) =>
    (accountId: string): Promise<Answer> => {
      asked.count += 1;
      return ask(accountId);
    };
  return { asked, keys: { ...keys, keyFor: count(keys.keyFor), find: count(keys.find) } };
}

describe('The private texts of accounts', () => {
  it('are read by another process that has the same keys', async () => {
    const keys = createMemoryAccountKeys();
    const text = await written(createPrivateTexts(keys));
    expect(await createPrivateTexts(keys).read('acc_1', OF, text)).to.deep.equal({ brief: 'Do it.' });
  });

  it('are read as they stand where a release before wrote them in clear, without any key', async () => {
    const { asked, keys } = counting(createMemoryAccountKeys());
    expect(await createPrivateTexts(keys).read('acc_1', OF, { clear: { brief: 'x' } })).to.deep.equal({
      brief: 'x',
    });
    expect(asked.count).to.equal(0);
  });

  it('ask the store for a key once, also when many read at the same time', async () => {
    const { asked, keys } = counting(createMemoryAccountKeys());
    const texts = createPrivateTexts(keys);
    const text = await written(texts);
    await Promise.all(Array.from({ length: 100 }, () => texts.read('acc_1', OF, text)));
    await written(texts);
    expect(asked.count).to.equal(1);
  });

  it('are neither written nor read with a remembered key once its store was taken away, until it is back', async () => {
    const folder = await tempFolder();
    const path = folder.file('people.db');
    const keys = openSqliteAccountKeys(path);
    const texts = createPrivateTexts(keys);
    const text = await written(texts);
    await rename(path, folder.file('elsewhere.db'));
    const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
      work.then(
        () => null,
        (error: unknown) => error,
      );
    await until('writing is refused', async () => (await refusalOf(written(texts))) !== null, 20_000);
    expect(await rejectionOf(texts.cipherOf('acc_1'))).to.be.instanceOf(AccountKeysUnavailable);
    expect(await rejectionOf(texts.read('acc_1', OF, text))).to.be.instanceOf(AccountKeysUnavailable);
    await rename(folder.file('elsewhere.db'), path);
    expect(await texts.read('acc_1', OF, await written(texts))).to.deep.equal({ brief: 'Do it.' });
    await keys.close();
    await folder.remove();
  });

  it('are nothing once the key was erased, and nothing more is written', async () => {
    const texts = createPrivateTexts(createMemoryAccountKeys());
    const text = await written(texts);
    await texts.erase('acc_1');
    expect(await texts.read('acc_1', OF, text)).to.equal(null);
    expect(await texts.cipherOf('acc_1')).to.equal(null);
    // Those of others are.
    expect(await texts.read('acc_2', OF, await written(texts, 'acc_2'))).to.deep.equal({ brief: 'Do it.' });
  });

  it('are an outage, and not empty, where the store lacks their key or has another', async () => {
    const text = await written(createPrivateTexts(createMemoryAccountKeys()));
    const elsewhere = createPrivateTexts(createMemoryAccountKeys());
    expect(await rejectionOf(elsewhere.read('acc_1', OF, text))).to.be.instanceOf(AccountKeysUnavailable);
    await elsewhere.cipherOf('acc_1');
    expect(await rejectionOf(elsewhere.read('acc_1', OF, text))).to.be.instanceOf(AccountKeysUnavailable);
  });

  it('can be written by an account whose first reader found no key', async () => {
    const text = await written(createPrivateTexts(createMemoryAccountKeys()));
    const texts = createPrivateTexts(createMemoryAccountKeys());
    const reading = rejectionOf(texts.read('acc_1', OF, text));
    const cipher = await texts.cipherOf('acc_1');
    await reading;
    expect(cipher).not.to.equal(null);
  });

  it('come back when the store does', async () => {
    const keys = createMemoryAccountKeys();
    let isAway = true;
    const texts = createPrivateTexts({
      ...keys,
      keyFor: (accountId) =>
        isAway ? Promise.reject(new AccountKeysUnavailable('away')) : keys.keyFor(accountId),
    });
    expect(await rejectionOf(texts.cipherOf('acc_1'))).to.be.instanceOf(AccountKeysUnavailable);
    isAway = false;
    expect(await texts.read('acc_1', OF, await written(texts))).to.deep.equal({ brief: 'Do it.' });
  });

  it('are not written while no key can be made, and are once one can', async () => {
    const keys = createMemoryAccountKeys();
    let canBeMade = false;
    // No answer by its type: so says a store that breaks its word.
    const none = 'absent' as 'erased';
    const texts = createPrivateTexts({
      ...keys,
      keyFor: async (accountId) => (canBeMade ? keys.keyFor(accountId) : none),
    });
    const error = await rejectionOf(texts.cipherOf('acc_1'));
    expect(error).to.be.instanceOf(AccountKeysUnavailable);
    expect(String(error)).to.contain('no key of acc_1 could be made');
    canBeMade = true;
    expect(await texts.read('acc_1', OF, await written(texts))).to.deep.equal({ brief: 'Do it.' });
  });
});

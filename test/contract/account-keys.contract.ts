/** What every AccountKeys promises. An adapter's test file hands in how two processes reach the same ones. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { idFrom } from '../../events/ids.ts';
import { ACCOUNT_KEY_BYTES, type AccountKeys } from '../../src/ports/account-keys.ts';

export interface SharedAccountKeys {
  readonly mine: AccountKeys;
  /** Another process that uses the same store. */
  readonly theirs: AccountKeys;
  readonly close: () => Promise<void>;
}

const newAccount = (): string => idFrom('account', '2026-11-27T09:30:00.000Z', randomUUID());

export function accountKeysContract(adapter: string, open: () => Promise<SharedAccountKeys>): void {
  describe(`AccountKeys: ${adapter}`, () => {
    let shared: SharedAccountKeys;
    before(async () => void (shared = await open()));
    after(() => shared.close());

    it('has no key of an account that never needed one', async () => {
      expect(await shared.mine.find(newAccount())).to.equal('absent');
    });

    it('makes a key of 256 bits once, and gives it to everybody', async () => {
      const accountId = newAccount();
      const made = await shared.mine.keyFor(accountId);
      if (made === 'erased') throw new Error('it was never erased');
      expect(made.key.length).to.equal(ACCOUNT_KEY_BYTES);
      const others = [
        await shared.mine.keyFor(accountId),
        await shared.theirs.keyFor(accountId),
        await shared.theirs.find(accountId),
      ];
      for (const other of others) {
        if (typeof other === 'string') throw new Error(`it is ${other}`);
        expect(Buffer.from(other.key).equals(made.key)).to.equal(true);
      }
    });

    it('gives each account a key of its own', async () => {
      const [one, other] = await Promise.all([
        shared.mine.keyFor(newAccount()),
        shared.mine.keyFor(newAccount()),
      ]);
      expect(one).not.to.deep.equal(other);
    });

    it('makes one key where many ask at once, in two processes', async () => {
      const accountId = newAccount();
      const asked = Array.from({ length: 20 }, (_, i) =>
        (i % 2 === 0 ? shared.mine : shared.theirs).keyFor(accountId),
      );
      const keys = (await Promise.all(asked)).map((found) =>
        typeof found === 'string' ? found : Buffer.from(found.key).toString('hex'),
      );
      expect(new Set(keys).size).to.equal(1);
      expect(keys[0]).to.match(/^[0-9a-f]{64}$/);
    });

    it('erases a key for ever: none is made in its place', async () => {
      const accountId = newAccount();
      await shared.mine.keyFor(accountId);
      await shared.theirs.erase(accountId);
      expect(await shared.mine.find(accountId)).to.equal('erased');
      expect(await shared.mine.keyFor(accountId)).to.equal('erased');
      await shared.mine.erase(accountId);
      expect(await shared.theirs.keyFor(accountId)).to.equal('erased');
    });

    it('remembers that an account was erased before it needed a key', async () => {
      const accountId = newAccount();
      await shared.mine.erase(accountId);
      expect(await shared.theirs.keyFor(accountId)).to.equal('erased');
    });
  });
}

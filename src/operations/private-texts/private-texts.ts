/**
 * The texts that accounts write freely, by the accounts' keys. Keys are remembered for a minute: that long after a key
 * was erased, another process may still read with it.
 */
import { LRUCache } from 'lru-cache';
import type { PrivateText } from '../../../events/private-text.ts';
import {
  type AccountKeys,
  AccountKeysUnavailable,
  ForeignAccountKeys,
  type FoundKey,
} from '../../ports/account-keys.ts';
import { type AccountCipher, accountCipher } from './account-cipher.ts';

export interface PrivateTexts {
  /**
   * For what the account writes; its key is durable when this resolves. Null: it was erased, and nothing can be written.
   * @throws {AccountKeysUnavailable}
   */
  readonly cipherOf: (accountId: string) => Promise<AccountCipher | null>;
  /**
   * The text; null where the account's key was erased.
   * @param of what it belongs to, as when it was encrypted
   * @throws {AccountKeysUnavailable} also where the key that it was encrypted with is not in this store
   */
  readonly read: <Clear>(accountId: string, of: string, text: PrivateText<Clear>) => Promise<Clear | null>;
  /** Whether the account's key was erased: what others still hold of its texts is of no use to anybody then. @throws {AccountKeysUnavailable} */
  readonly isErased: (accountId: string) => Promise<boolean>;
  /** Whether keys can be read now. @throws {AccountKeysUnavailable} */
  readonly checkUsable: () => Promise<void>;
  /** Erases the account's key for ever, and what was written with it. @throws {AccountKeysUnavailable} */
  readonly erase: (accountId: string) => Promise<void>;
}

const MAX_REMEMBERED = 10_000;
const REMEMBERED_MS = 60_000;
/** The id of no account. */
const NOBODY = '';

type Remembered = LRUCache<string, Promise<AccountCipher | 'erased' | 'absent'>>;

export function createPrivateTexts(
  keys: Pick<AccountKeys, 'keyFor' | 'find' | 'erase' | 'onTakenAway'>,
): PrivateTexts {
  const remembered: Remembered = new LRUCache({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });
  keys.onTakenAway?.(() => remembered.clear());

  /** Whoever asks meanwhile waits for the same; a failure is not remembered, nor that there is none yet. */
  function ask(
    accountId: string,
    look: (accountId: string) => Promise<FoundKey>,
  ): Promise<AccountCipher | 'erased' | 'absent'> {
    const known = remembered.get(accountId);
    if (known !== undefined) return known;
    const asked = look(accountId).then((found) =>
      typeof found === 'string' ? found : accountCipher(accountId, found.key),
    );
    remembered.set(accountId, asked);
    const forget = (): void => {
      if (remembered.peek(accountId) === asked) remembered.delete(accountId);
    };
    asked.then((cipher) => cipher === 'absent' && forget(), forget);
    return asked;
  }

  async function cipherOf(accountId: string): Promise<AccountCipher | null> {
    let cipher = await ask(accountId, keys.keyFor);
    // A reader was waiting for the same.
    if (cipher === 'absent') cipher = await ask(accountId, keys.keyFor);
    if (cipher === 'absent') throw new AccountKeysUnavailable(`no key of ${accountId} could be made`);
    return cipher === 'erased' ? null : cipher;
  }

  return {
    cipherOf,
    async read<Clear>(accountId: string, of: string, text: PrivateText<Clear>): Promise<Clear | null> {
      if ('clear' in text) return text.clear;
      const cipher = await ask(accountId, keys.find);
      if (cipher === 'erased') return null;
      const json = cipher === 'absent' ? null : cipher.decrypt(of, text);
      if (json === null)
        throw new ForeignAccountKeys(
          `the key that a text of ${accountId} was encrypted with is not in the store of keys: put back the people.db, or account_keys of MongoDB, that belongs to this log, before anything is written with another key`,
        );
      // What was encrypted for this purpose was of this shape.
      return JSON.parse(json) as Clear;
    },
    isErased: async (accountId) => (await ask(accountId, keys.find)) === 'erased',
    async checkUsable() {
      await keys.find(NOBODY);
    },
    async erase(accountId) {
      await keys.erase(accountId);
      remembered.delete(accountId);
    },
  };
}

/** What the ciphertext of an order belongs to. */
export function ofOrder(spendId: string): string {
  return `order ${spendId}`;
}

/** What the ciphertext of a record belongs to. */
export function ofRecord(recordStreamId: string): string {
  return `record ${recordStreamId}`;
}

/** What the ciphertext of an endpoint belongs to. */
export function ofEndpoint(endpointId: string): string {
  return `endpoint ${endpointId}`;
}

/** The AccountKeys port in memory, for tests. */
import { randomBytes } from 'node:crypto';
import { ACCOUNT_KEY_BYTES, type AccountKeys, type FoundKey } from '../../../src/ports/account-keys.ts';

export function createMemoryAccountKeys(): AccountKeys {
  const known = new Map<string, Exclude<FoundKey, 'absent'>>();
  return {
    async keyFor(accountId) {
      const found = known.get(accountId) ?? { key: randomBytes(ACCOUNT_KEY_BYTES) };
      known.set(accountId, found);
      return found;
    },
    find: async (accountId) => known.get(accountId) ?? 'absent',
    erase: async (accountId) => void known.set(accountId, 'erased'),
    close: async () => {},
  };
}

/** Freezing a key stops everything that is done with it; its counters stay. As it is already, it is left. */
import { accept, reject } from '../decider.ts';
import { type FrozenBy, type IssuedKey, type KeyDecision, livingHashes } from './key-state.ts';

export interface FreezeApiKey {
  readonly type: 'FreezeApiKey';
  readonly by: FrozenBy;
  readonly reason: string;
}

export interface UnfreezeApiKey {
  readonly type: 'UnfreezeApiKey';
  readonly by: FrozenBy;
}

/** An operator's freeze goes over the owner's. */
export function freezeKey({ by, reason }: FreezeApiKey, apiKey: IssuedKey): KeyDecision {
  if (apiKey.frozenBy === 'operator' || apiKey.frozenBy === by) return accept();
  const data = { keyId: apiKey.key.keyId, secretHashes: livingHashes(apiKey), by, reason };
  return accept({ type: 'ApiKeyFrozen', data });
}

export function unfreezeKey({ by }: UnfreezeApiKey, apiKey: IssuedKey): KeyDecision {
  if (apiKey.frozenBy === null) return accept();
  if (apiKey.frozenBy === 'operator' && by === 'owner') return reject({ kind: 'frozen_by_operator' });
  const data = { keyId: apiKey.key.keyId, secretHashes: livingHashes(apiKey) };
  return accept({ type: 'ApiKeyUnfrozen', data });
}

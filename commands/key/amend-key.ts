/** Changes what the key is called, what it may call, or when it ends. What is named is replaced, the rest stays. */
import { orderedJson } from '../../events/canonical-json.ts';
import type { KeyFact } from '../../events/key-events.ts';
import { accept, type Decision } from '../decider.ts';
import { type IssuedKey, type KeyRejection, livingHashes } from './key-state.ts';

export interface AmendApiKey {
  readonly type: 'AmendApiKey';
  readonly changes: {
    readonly name?: string;
    readonly scopes?: string[];
    readonly expiresAt?: string | null;
  };
}

export function amendKey({ changes }: AmendApiKey, apiKey: IssuedKey): Decision<KeyFact, KeyRejection> {
  const { secretHash: _secret, hint: _hint, ...holder } = apiKey.key;
  const amended = { ...holder, ...changes };
  if (orderedJson(amended) === orderedJson(holder)) return accept();
  return accept({ type: 'ApiKeyAmended', data: { ...amended, secretHashes: livingHashes(apiKey) } });
}

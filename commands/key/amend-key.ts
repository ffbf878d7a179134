/** Changes what the key is called, what it may call, or when it ends. What is named is replaced, the rest stays. */
import { orderedJson } from '../../events/canonical-json.ts';
import { tooManyChanges } from '../changes-a-day.ts';
import { accept, reject } from '../decider.ts';
import { type IssuedKey, type KeyDecision, livingHashes } from './key-state.ts';

export interface AmendApiKey {
  readonly type: 'AmendApiKey';
  readonly changes: {
    readonly name?: string;
    readonly scopes?: string[];
    readonly expiresAt?: string | null;
  };
}

export function amendKey({ changes }: AmendApiKey, apiKey: IssuedKey, at: string): KeyDecision {
  const { secretHash: _secret, hint: _hint, ...holder } = apiKey.key;
  const amended = { ...holder, ...changes };
  if (orderedJson(amended) === orderedJson(holder)) return accept();
  const often = tooManyChanges(apiKey.amendedAt, at);
  if (often !== null) return reject(often);
  return accept({ type: 'ApiKeyAmended', data: { ...amended, secretHashes: livingHashes(apiKey) } });
}

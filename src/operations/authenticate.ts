/** Who presents an API key. Unknown, revoked and malformed keys look the same: nobody. */
import { keySecretsProjection } from '../../projections/key-secrets.ts';
import { isWellFormedApiKey, secretHashOf } from './keys/api-key-secret.ts';
import { type KeyHolder, SCOPES, type Scope } from './operation.ts';
import { readShared } from './read-view.ts';
import type { Services } from './services.ts';

export async function authenticate(
  { views, keyPrefix }: Pick<Services, 'views' | 'keyPrefix'>,
  apiKey: string,
): Promise<KeyHolder | null> {
  if (!isWellFormedApiKey(apiKey, keyPrefix)) return null;
  const holder = await readShared(views, keySecretsProjection, secretHashOf(apiKey));
  if (holder === undefined) return null;
  const { keyId, accountId, mandateId, scopes, agency } = holder;
  return { keyId, accountId, mandateId, agency, scopes: scopes.filter(isScope) };
}

/** A scope that this program does not know grants nothing. */
function isScope(scope: string): scope is Scope {
  return SCOPES.some((known) => known === scope);
}

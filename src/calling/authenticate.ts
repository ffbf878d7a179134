/**
 * Who presents an API key. Unknown, revoked, expired and malformed keys look the same: nobody. That a key is frozen is
 * told to whoever holds it: its owner is to know why nothing works.
 */
import { frozenAccountsProjection } from '../../projections/frozen-accounts.ts';
import { keySecretsProjection } from '../../projections/key-secrets.ts';
import { isWellFormedApiKey, secretHashOf } from '../operations/keys/api-key-secret.ts';
import { type KeyHolder, SCOPES, type Scope } from '../operations/operation.ts';
import { readShared } from '../operations/read-view.ts';
import type { Services } from '../operations/services.ts';

export type Presented = KeyHolder | 'frozen key' | 'frozen account' | null;

/** @param at now, RFC 3339 */
export async function authenticate(
  { views, keyPrefix }: Pick<Services, 'views' | 'keyPrefix'>,
  apiKey: string,
  at: string,
): Promise<Presented> {
  if (!isWellFormedApiKey(apiKey, keyPrefix)) return null;
  const holder = await readShared(views, keySecretsProjection, secretHashOf(apiKey));
  if (holder === undefined || isOver(holder.expiresAt, at) || isOver(holder.worksUntil, at)) return null;
  if (holder.isFrozen) return 'frozen key';
  const { keyId, accountId, mandateId, scopes, agency } = holder;
  const frozen = await readShared(views, frozenAccountsProjection, accountId);
  if (frozen !== undefined) return 'frozen account';
  return { keyId, accountId, mandateId, agency, scopes: scopes.filter(isScope) };
}

function isOver(end: string | null, at: string): boolean {
  return end !== null && end <= at;
}

/** A scope that this program does not know grants nothing. */
function isScope(scope: string): scope is Scope {
  return SCOPES.some((known) => known === scope);
}

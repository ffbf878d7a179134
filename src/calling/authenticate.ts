/**
 * Who presents an API key. Unknown, revoked, expired and malformed keys look the same: nobody. That a key is frozen is
 * told to whoever holds it: its owner is to know why nothing works.
 */
import { frozenAccountsProjection } from '../../projections/frozen-accounts.ts';
import { keySecretsProjection } from '../../projections/key-secrets.ts';
import { isWellFormedApiKey, secretHashOf } from '../operations/keys/api-key-secret.ts';
import { type KeyHolder, SCOPES, type Scope } from '../operations/operation.ts';
import { readShared } from '../operations/read-view.ts';
import { refuse, type Refused } from '../operations/refusals.ts';
import type { Services } from '../operations/services.ts';

/** What was sent as a key: nothing, something that is no key, or a text that may be one. */
export type Credential = 'none' | 'malformed' | { readonly apiKey: string };

export type Authentication = { readonly ok: true; readonly caller: KeyHolder } | Refused;

/**
 * The holder of the key that was sent, or why there is none: `api_key_missing` only where nothing was sent.
 * @param at now, RFC 3339
 */
export async function authenticate(
  { views, keyPrefix }: Pick<Services, 'views' | 'keyPrefix'>,
  credential: Credential,
  at: string,
): Promise<Authentication> {
  if (credential === 'none') return MISSING;
  if (credential === 'malformed' || !isWellFormedApiKey(credential.apiKey, keyPrefix)) return INVALID;
  const holder = await readShared(views, keySecretsProjection, secretHashOf(credential.apiKey));
  if (holder === undefined || isOver(holder.expiresAt, at) || isOver(holder.worksUntil, at)) return INVALID;
  if (holder.isFrozen) return FROZEN_KEY;
  const { keyId, accountId, mandateId, scopes, agency } = holder;
  const frozen = await readShared(views, frozenAccountsProjection, accountId);
  if (frozen !== undefined) return FROZEN_ACCOUNT;
  return { ok: true, caller: { keyId, accountId, mandateId, agency, scopes: scopes.filter(isScope) } };
}

const MISSING = refuse('api_key_missing', 'Send an API key: Authorization: Bearer <key>.');
const INVALID = refuse('api_key_invalid', 'The API key is not valid.');
const FROZEN_KEY = refuse(
  'forbidden',
  'The API key is frozen: nothing can be done with it until it is unfrozen.',
);
const FROZEN_ACCOUNT = refuse(
  'forbidden',
  'The account is frozen: nothing can be done with its keys until it is unfrozen.',
);

function isOver(end: string | null, at: string): boolean {
  return end !== null && end <= at;
}

/** A scope that this program does not know grants nothing. */
function isScope(scope: string): scope is Scope {
  return SCOPES.some((known) => known === scope);
}

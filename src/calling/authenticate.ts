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

export type Presented = KeyHolder | 'frozen key' | 'frozen account' | null;

/** What was sent as a key: nothing, something that is no key, or a text that may be one. */
export type Credential = 'none' | 'malformed' | { readonly apiKey: string };

export type Authentication = { readonly ok: true; readonly caller: KeyHolder } | Refused;

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

/** The holder of the key that was sent, or why there is none: `api_key_missing` only where nothing was sent. */
export async function authenticateCredential(
  services: Pick<Services, 'views' | 'keyPrefix'>,
  credential: Credential,
  at: string,
): Promise<Authentication> {
  if (credential === 'none') return MISSING;
  const presented = credential === 'malformed' ? null : await authenticate(services, credential.apiKey, at);
  switch (presented) {
    case null:
      return INVALID;
    case 'frozen key':
      return FROZEN_KEY;
    case 'frozen account':
      return FROZEN_ACCOUNT;
    default:
      return { ok: true, caller: presented };
  }
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

/** Gives a key its mandate, and then its secret: a key that works always has its mandate. */
import { keyDecider } from '../../../commands/key/key.ts';
import { mandateDecider } from '../../../commands/mandate/mandate.ts';
import { sealData } from '../../../events/catalog.ts';
import type { MandateTerms } from '../../../events/mandate-events.ts';
import type { CommandCall } from '../../commanding/command-call.ts';
import type { Scope } from '../operation.ts';
import { refuse, type Refused } from '../refusals.ts';
import type { Services } from '../services.ts';
import { hintOf, newApiKey, secretHashOf } from './api-key-secret.ts';

export interface NewKey {
  readonly keyId: string;
  readonly accountId: string;
  readonly mandateId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly agency: string | null;
  readonly terms: MandateTerms;
  /** When the key ends; null: it does not. */
  readonly expiresAt: string | null;
  /** The whole key, where it was shown before it is made; a new one if absent. */
  readonly secret?: string;
}

export type IssuedKey =
  | {
      readonly ok: true;
      /** The whole key: to be shown once and kept nowhere. Null where the same command made it before. */
      readonly secret: string | null;
      /** Where the log stands with it: a view that has reached it knows the key. */
      readonly position: string | null;
    }
  | Refused;

/**
 * To be asked before a share of the account is set aside for the key: what fails then leaves a share that belongs to a key
 * nobody can name.
 * @throws {Error} what would be written of the key breaks its schema
 */
export function assertIssuable(key: NewKey, keyPrefix: string): void {
  const { mandateId, accountId, terms } = key;
  sealData({ type: 'MandateGranted', data: { mandateId, accountId, terms } });
  sealData({ type: 'ApiKeyIssued', data: keyData(key, newApiKey(keyPrefix)) });
}

function keyData(key: NewKey, secret: string) {
  const { terms: _, secret: _shown, scopes, ...identity } = key;
  return { ...identity, scopes: [...scopes], secretHash: secretHashOf(secret), hint: hintOf(secret) };
}

/** @param call gives the call of each of the two commands: both may have one id, which each stream answers once */
export async function issueKey(
  { commands, keyPrefix }: Pick<Services, 'commands' | 'keyPrefix'>,
  wanted: NewKey,
  call: () => CommandCall,
): Promise<IssuedKey> {
  const { keyId, accountId, mandateId, terms, secret = newApiKey(keyPrefix) } = wanted;
  const grant = { type: 'GrantMandate', mandateId, accountId, terms } as const;
  await commands.run(mandateDecider, mandateId, grant, call());

  const key = keyData(wanted, secret);
  const issued = await commands.run(keyDecider, keyId, { type: 'IssueApiKey', key }, call());
  // Only what was issued is shown: with an id of the caller's, somebody else may have been first.
  switch (issued.kind) {
    case 'accepted':
      return { ok: true, secret, position: issued.position };
    case 'replayed':
      return { ok: true, secret: null, position: issued.position };
    default:
      return refuse('conflict', `the key ${keyId} was made before`);
  }
}

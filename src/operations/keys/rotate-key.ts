/** Gives a key a new secret. The old one stops working, at once or after a while; mandate, counters, scopes and idempotency keys stay. */
import { keyDecider } from '../../../commands/key/key.ts';
import type { CommandCall } from '../../runners/command-call.ts';
import { type Refusal, refuse } from '../refusals.ts';
import type { Services } from '../services.ts';
import { refuseKey } from './refuse-key.ts';
import { hintOf, newApiKey, secretHashOf } from './api-key-secret.ts';

export type RotatedKey =
  | {
      readonly ok: true;
      /** The whole key: to be shown once and kept nowhere. */
      readonly key: string;
      /** Where the log stands with it: a view that has reached it knows the new secret and no longer the old one. */
      readonly position: string | null;
    }
  | { readonly ok: false; readonly refusal: Refusal };

export async function rotateKey(
  services: Pick<Services, 'commands' | 'views' | 'keyPrefix'>,
  keyId: string,
  call: CommandCall,
  /** Until when the secret in force works beside the new one; null: it stops at once. */
  previousWorksUntil: string | null = null,
): Promise<RotatedKey> {
  const { commands, keyPrefix } = services;
  const key = newApiKey(keyPrefix);
  const secret = { secretHash: secretHashOf(key), hint: hintOf(key) };
  const command = { type: 'RotateApiKey', ...secret, previousWorksUntil } as const;
  const outcome = await commands.run(keyDecider, keyId, command, call);
  if (outcome.kind === 'rejected') return refuseKey(services, keyId, outcome.rejection);
  // The secret of a repeated command was shown then, and is known to nobody any more.
  if (outcome.kind !== 'accepted') return refuse('conflict', 'this rotation was done before');
  return { ok: true, key, position: outcome.position };
}

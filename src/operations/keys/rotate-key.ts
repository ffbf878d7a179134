/** Gives a key a new secret. The old one stops working, at once or after a while; mandate, counters, scopes and idempotency keys stay. */
import { keyDecider } from '../../../commands/key/key.ts';
import type { CommandCall } from '../../commanding/command-call.ts';
import { idempotencyMismatch } from '../idempotency.ts';
import type { Refused } from '../refusals.ts';
import type { Services } from '../services.ts';
import { refuseKey } from './refuse-key.ts';
import { hintOf, newApiKey, secretHashOf } from './api-key-secret.ts';

export type RotatedKey =
  | {
      readonly ok: true;
      /** The whole key: to be shown once and kept nowhere. Null where the same command made it before. */
      readonly key: string | null;
      /** Until when the secret before works beside it; null: it stopped at once. */
      readonly previousWorksUntil: string | null;
      /** Where the log stands with it: a view that has reached it knows the new secret and no longer the old one. */
      readonly position: string | null;
    }
  | Refused;

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
  if (outcome.kind === 'mismatch') return idempotencyMismatch();
  const rotated = outcome.events[0]?.data;
  if (rotated === undefined || !('previousWorksUntil' in rotated))
    throw new Error(`${keyId} was rotated without its event`);
  // The secret of a repeated command was shown then, and is known to nobody any more.
  const shown = outcome.kind === 'accepted' ? key : null;
  const { position } = outcome;
  return { ok: true, key: shown, previousWorksUntil: rotated.previousWorksUntil, position };
}

/** A freeze stops everything that is done with a key; suspending its mandate stops its spending alone. */
import type { FreezeApiKey, UnfreezeApiKey } from '../../../commands/key/freeze-key.ts';
import { keyDecider } from '../../../commands/key/key.ts';
import { keySecretsProjection } from '../../../projections/key-secrets.ts';
import type { CommandCall } from '../../commanding/command-call.ts';
import { idempotencyMismatch } from '../idempotency.ts';
import type { Refused } from '../refusals.ts';
import type { Services } from '../services.ts';
import { refuseKey } from './refuse-key.ts';

type Changing = Pick<Services, 'commands' | 'views' | 'projector'>;

export type FrozenKey =
  | { readonly ok: true; readonly changedNow: boolean; readonly replayed: boolean }
  | Refused;

/** Keys are looked up in a view; whoever is answered is to find the change in force, unless the view is slow. */
export const SECRETS_PATIENCE_MS = 2_000;

export async function freezeKey(
  services: Changing,
  keyId: string,
  command: FreezeApiKey | UnfreezeApiKey,
  call: CommandCall,
): Promise<FrozenKey> {
  const { commands, projector } = services;
  const outcome = await commands.run(keyDecider, keyId, command, call);
  if (outcome.kind === 'mismatch') return idempotencyMismatch();
  if (outcome.kind === 'rejected') return refuseKey(services, keyId, outcome.rejection);
  if (outcome.position !== null)
    await projector.reached(keySecretsProjection.name, outcome.position, SECRETS_PATIENCE_MS);
  const changedNow = outcome.kind === 'accepted' && outcome.events.length > 0;
  return { ok: true, changedNow, replayed: outcome.kind === 'replayed' };
}

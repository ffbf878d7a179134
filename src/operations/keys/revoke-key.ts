/** Ends a key and the mandate it spends under. The mandate goes first: a revoked key must never spend. What was set aside for it is free again from the next month on. */
import { keyDecider } from '../../../commands/key/key.ts';
import { keyringDecider } from '../../../commands/keyring/keyring.ts';
import { mandateDecider } from '../../../commands/mandate/mandate.ts';
import { LogContradiction } from '../../../events/event-store.ts';
import type { CommandCall } from '../../commanding/command-call.ts';
import { afterEffect } from '../after-effect.ts';
import { idempotencyMismatch } from '../idempotency.ts';
import type { Refused } from '../refusals.ts';
import type { Services } from '../services.ts';
import { noSuchKey } from '../mandates/find-mandate.ts';

export async function revokeKey(
  services: Pick<Services, 'commands' | 'views'>,
  keyId: string,
  reason: string,
  call: CommandCall,
): Promise<
  | {
      readonly ok: true;
      readonly revokedNow: boolean;
      readonly accountId: string;
      /** Where the log stands with it; null where it was revoked before. */
      readonly position: string | null;
      readonly replayed: boolean;
    }
  | Refused
> {
  const { commands } = services;
  const { state: apiKey } = await commands.load(keyDecider, keyId, call.at);
  if (apiKey.status === 'absent') return noSuchKey(services, keyId);
  const { mandateId } = apiKey.key;
  const ended = await commands.run(mandateDecider, mandateId, { type: 'RevokeMandate', reason }, call);
  if (ended.kind === 'mismatch') return idempotencyMismatch();
  if (ended.kind === 'rejected') throw new LogContradiction(`${mandateId} has a key and is not there`);
  const outcome = await afterEffect(commands.run(keyDecider, keyId, { type: 'RevokeApiKey', reason }, call));
  const revokedNow = outcome.kind === 'accepted' && outcome.events.length > 0;
  const { accountId } = apiKey.key;
  // A request that was begun before the end of a month may end a mandate that was spent in the next one.
  const at = ended.events.at(-1)?.at ?? call.at;
  const end = { type: 'EndKeyAllotment', accountId, keyId } as const;
  await afterEffect(commands.run(keyringDecider, accountId, end, { ...call, at }));
  const position = outcome.kind === 'rejected' || outcome.kind === 'mismatch' ? null : outcome.position;
  return { ok: true, revokedNow, accountId, position, replayed: outcome.kind === 'replayed' };
}

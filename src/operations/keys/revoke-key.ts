/** Ends a key and the mandate it spends under. The mandate goes first: a revoked key must never spend. */
import { keyDecider } from '../../../commands/key/key.ts';
import { mandateDecider } from '../../../commands/mandate/mandate.ts';
import type { CommandCall } from '../../runners/command-call.ts';
import { type Refusal, refuse } from '../refusals.ts';
import type { Services } from '../services.ts';

export async function revokeKey(
  { commands }: Pick<Services, 'commands'>,
  keyId: string,
  reason: string,
  call: CommandCall,
): Promise<
  { readonly ok: true; readonly revokedNow: boolean } | { readonly ok: false; readonly refusal: Refusal }
> {
  const { state: apiKey } = await commands.load(keyDecider, keyId, call.at);
  if (apiKey.status === 'absent') return refuse('not_found', `there is no key ${keyId}`);
  await commands.run(mandateDecider, apiKey.key.mandateId, { type: 'RevokeMandate', reason }, call);
  const outcome = await commands.run(keyDecider, keyId, { type: 'RevokeApiKey', reason }, call);
  return { ok: true, revokedNow: outcome.kind === 'accepted' && outcome.events.length > 0 };
}

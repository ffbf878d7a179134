/** An operator's word on what keys that an account makes over the API may have. */
import { keyringDecider } from '../../../commands/keyring/keyring.ts';
import type { KeyAllowance } from '../../../events/keyring-events.ts';
import type { CommandCall } from '../../commanding/command-call.ts';
import { unworkable } from '../keys/unworkable.ts';
import type { Detail } from '../refusals.ts';
import type { Services } from '../services.ts';

/** Null takes it back. What was given before stays. Answers with what is wrong with it; with nothing once it is set. */
export async function setKeyAllowance(
  services: Pick<Services, 'commands'>,
  accountId: string,
  allowance: KeyAllowance | null,
  call: CommandCall,
): Promise<readonly Detail[]> {
  if (allowance !== null) {
    // Which agency a key acts for is the managing key's to say.
    const { terms, expiresAt } = allowance;
    const scopes = allowance.scopes.filter((scope) => scope !== 'provider:fulfil');
    const wanted = { scopes: ['jobs:read', ...scopes], agency: null, terms, expiresAt };
    const fieldErrors = await unworkable(services, wanted, call.at);
    if (fieldErrors.length > 0) return fieldErrors;
  }
  const command = { type: 'SetKeyAllowance', accountId, allowance } as const;
  await services.commands.run(keyringDecider, accountId, command, call);
  return [];
}

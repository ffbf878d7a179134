/** A freeze of an account stops everything that is done with its keys, those that are made later included. */
import {
  accountDecider,
  type AccountRejection,
  type FreezeAccount,
  type UnfreezeAccount,
} from '../../../commands/account/account.ts';
import { frozenAccountsProjection } from '../../../projections/frozen-accounts.ts';
import type { CommandCall } from '../../commanding/command-call.ts';
import { idempotencyMismatch } from '../idempotency.ts';
import { SECRETS_PATIENCE_MS } from '../keys/freeze-key.ts';
import { refuse, type Refused } from '../refusals.ts';
import type { Services } from '../services.ts';
import { findAccount, type FoundAccount } from './find-account.ts';

type Changing = Pick<Services, 'commands' | 'views' | 'projector'>;

export type FrozenAccount =
  | { readonly ok: true; readonly account: FoundAccount; readonly replayed: boolean }
  | Refused;

export async function freezeAccount(
  services: Changing,
  idOrHandle: string,
  command: FreezeAccount | UnfreezeAccount,
  call: CommandCall,
): Promise<FrozenAccount> {
  const account = await findAccount(services, idOrHandle, call.at);
  if (!account.ok) return account;
  const { handle } = account;
  const outcome = await services.commands.run(accountDecider, handle, command, call);
  if (outcome.kind === 'mismatch') return idempotencyMismatch();
  if (outcome.kind === 'rejected') return refuseAccount(handle, outcome.rejection);
  if (outcome.position !== null)
    await services.projector.reached(frozenAccountsProjection.name, outcome.position, SECRETS_PATIENCE_MS);
  const status = command.type === 'FreezeAccount' ? 'frozen' : 'open';
  return { ok: true, account: { ...account, status }, replayed: outcome.kind === 'replayed' };
}

function refuseAccount(handle: string, { kind }: AccountRejection): Refused {
  return kind === 'absent'
    ? refuse('not_found', `there is no account ${handle}`)
    : refuse('conflict', `the account ${handle} is closed`);
}

/** An account: opened under a handle that nobody else has, frozen for a while, closed when its owner leaves. */
import { accept, assertNever, type Decider, type Decision, reject } from '../decider.ts';
import type { AccountFact } from '../../events/account-events.ts';
import type { Occurred } from '../../events/event.ts';

/** Opens the account of this handle, or finds it open already: the state then tells its id. */
export interface OpenAccount {
  readonly type: 'OpenAccount';
  readonly accountId: string;
  readonly handle: string;
}

export interface CloseAccount {
  readonly type: 'CloseAccount';
}

/** Stops everything that is done with its keys until it is unfrozen. */
export interface FreezeAccount {
  readonly type: 'FreezeAccount';
  readonly reason: string;
}

export interface UnfreezeAccount {
  readonly type: 'UnfreezeAccount';
}

export type AccountCommand = OpenAccount | CloseAccount | FreezeAccount | UnfreezeAccount;

export type Account =
  | { readonly status: 'absent' }
  | { readonly status: 'open' | 'frozen' | 'closed'; readonly accountId: string; readonly handle: string };

export type AccountRejection = { readonly kind: 'absent' } | { readonly kind: 'closed' };

export const accountDecider: Decider<Account, AccountCommand, AccountFact, AccountRejection> = {
  family: 'account',
  initial: { status: 'absent' },
  evolve,
  decide,
};

function evolve(account: Account, event: Occurred<AccountFact>): Account {
  switch (event.type) {
    case 'AccountOpened':
      return { status: 'open', ...event.data };
    case 'AccountClosed':
      return account.status === 'absent' ? account : { ...account, status: 'closed' };
    case 'AccountFrozen':
      return account.status === 'absent' ? account : { ...account, status: 'frozen' };
    case 'AccountUnfrozen':
      return account.status === 'absent' ? account : { ...account, status: 'open' };
    default:
      return assertNever(event);
  }
}

function decide(command: AccountCommand, account: Account): Decision<AccountFact, AccountRejection> {
  if (account.status === 'closed') return reject({ kind: 'closed' });
  if (command.type === 'OpenAccount') {
    if (account.status !== 'absent') return accept();
    const { accountId, handle } = command;
    return accept({ type: 'AccountOpened', data: { accountId, handle } });
  }
  if (account.status === 'absent') return reject({ kind: 'absent' });
  const { accountId, status } = account;
  switch (command.type) {
    case 'CloseAccount':
      return accept({ type: 'AccountClosed', data: { accountId } });
    case 'FreezeAccount':
      if (status === 'frozen') return accept();
      return accept({ type: 'AccountFrozen', data: { accountId, reason: command.reason } });
    case 'UnfreezeAccount':
      return status === 'frozen' ? accept({ type: 'AccountUnfrozen', data: { accountId } }) : accept();
    default:
      return assertNever(command);
  }
}

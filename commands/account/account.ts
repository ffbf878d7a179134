/** An account: opened under a handle that nobody else has, closed when its owner leaves. */
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

export type AccountCommand = OpenAccount | CloseAccount;

export type Account =
  | { readonly status: 'absent' }
  | { readonly status: 'open' | 'closed'; readonly accountId: string; readonly handle: string };

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
    default:
      return assertNever(event);
  }
}

function decide(command: AccountCommand, account: Account): Decision<AccountFact, AccountRejection> {
  if (account.status === 'closed') return reject({ kind: 'closed' });
  if (command.type === 'CloseAccount') {
    if (account.status === 'absent') return reject({ kind: 'absent' });
    return accept({ type: 'AccountClosed', data: { accountId: account.accountId } });
  }
  if (account.status === 'open') return accept();
  const { accountId, handle } = command;
  return accept({ type: 'AccountOpened', data: { accountId, handle } });
}

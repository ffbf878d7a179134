import { type AccountCommand, accountDecider } from '../../commands/account/account.ts';
import type { AccountFact } from '../../events/account-events.ts';
import type { Occurred } from '../../events/event.ts';
import { idFrom } from '../../events/ids.ts';
import { scenarios } from '../support/given-when-then.ts';
import { AT, accountId } from '../support/sample-mandate.ts';

const given = scenarios(accountDecider);

const handle = 'acme-finance';
const opened: Occurred<AccountFact> = { type: 'AccountOpened', data: { accountId, handle }, at: AT };
const closed: Occurred<AccountFact> = { type: 'AccountClosed', data: { accountId }, at: AT };
const open: AccountCommand = { type: 'OpenAccount', accountId, handle };
const close: AccountCommand = { type: 'CloseAccount' };

describe('An account', () => {
  it('is opened under its handle', () => {
    given().when(open, AT).thenFacts({ type: 'AccountOpened', data: { accountId, handle } });
  });

  it('that is open is found, not opened a second time under another id', () => {
    given(opened)
      .when({ ...open, accountId: idFrom('account', AT, 'another') }, AT)
      .thenNothing();
  });

  it('is closed by its own id', () => {
    given(opened).when(close, AT).thenFacts({ type: 'AccountClosed', data: { accountId } });
  });

  it('cannot be closed before it is opened', () => {
    given().when(close, AT).thenRejected({ kind: 'absent' });
  });

  it('that was closed keeps its handle: nobody opens it again, nor closes it', () => {
    given(opened, closed).when(open, AT).thenRejected({ kind: 'closed' });
    given(opened, closed).when(close, AT).thenRejected({ kind: 'closed' });
  });

  it('is frozen and unfrozen; as it is already, it is left', () => {
    const frozen: Occurred<AccountFact> = {
      type: 'AccountFrozen',
      data: { accountId, reason: 'odd calls' },
      at: AT,
    };
    const freeze: AccountCommand = { type: 'FreezeAccount', reason: 'odd calls' };
    const unfreeze: AccountCommand = { type: 'UnfreezeAccount' };
    given(opened)
      .when(freeze, AT)
      .thenFacts({ type: 'AccountFrozen', data: { accountId, reason: 'odd calls' } });
    given(opened, frozen).when(freeze, AT).thenNothing();
    given(opened, frozen).when(unfreeze, AT).thenFacts({ type: 'AccountUnfrozen', data: { accountId } });
    given(opened).when(unfreeze, AT).thenNothing();
    for (const command of [freeze, unfreeze]) {
      given().when(command, AT).thenRejected({ kind: 'absent' });
      given(opened, closed).when(command, AT).thenRejected({ kind: 'closed' });
    }
    given(opened, frozen).when(open, AT).thenNothing();
  });
});

/** Keys, their secrets and their accounts as views have them. */
import { expect } from 'chai';
import { type AccountCommand, accountDecider } from '../../commands/account/account.ts';
import { type KeyCommand, keyDecider } from '../../commands/key/key.ts';
import type { PlacedEvent } from '../../events/event.ts';
import { sha256Hex } from '../../events/hash-chain.ts';
import { idFrom } from '../../events/ids.ts';
import { accountsProjection } from '../../projections/accounts.ts';
import { agencyAccountsProjection } from '../../projections/agency-accounts.ts';
import { apiKeysProjection } from '../../projections/api-keys.ts';
import { keySecretsProjection } from '../../projections/key-secrets.ts';
import { replay } from '../../projections/replay.ts';
import { inLogOrder, streamOf } from '../../src/operations/directory/example-history.ts';
import { accountId, keyId, mandateId } from '../support/sample-mandate.ts';

const at = (hour: number): string => `2026-11-27T${String(hour).padStart(2, '0')}:00:00.000Z`;
const LATER = at(20);
const [FIRST, SECOND, THIRD] = ['first', 'second', 'third'].map(sha256Hex) as [string, string, string];
const UNKNOWN = sha256Hex('a secret that the view lacks');

const key = {
  keyId,
  accountId,
  mandateId,
  name: 'Agent',
  scopes: ['trials:create'],
  agency: null as string | null,
  secretHash: FIRST,
  hint: 'aaaa',
  expiresAt: null,
};
const issue = (more: Partial<typeof key> = {}): KeyCommand => ({
  type: 'IssueApiKey',
  key: { ...key, ...more },
});
const rotate = (secretHash: string, previousWorksUntil: string | null): KeyCommand => {
  return { type: 'RotateApiKey', secretHash, hint: 'bbbb', previousWorksUntil };
};
const freeze: KeyCommand = { type: 'FreezeApiKey', by: 'owner', reason: 'odd calls' };
const unfreeze: KeyCommand = { type: 'UnfreezeApiKey', by: 'owner' };
const amend: KeyCommand = { type: 'AmendApiKey', changes: { name: 'Other', scopes: [], expiresAt: LATER } };
const revoke: KeyCommand = { type: 'RevokeApiKey', reason: 'lost' };

/** One hour after another; each by an actor of its own. */
function keyEvents(commands: readonly KeyCommand[], id = keyId): readonly PlacedEvent[] {
  const timed = commands.map((command, hour) => [at(hour), command] as const);
  return streamOf(keyDecider, id, ...timed).map((event, n) => ({
    ...event,
    meta: { ...event.meta, actor: `actor-${n}` },
  }));
}
const secretsAfter = (...commands: readonly KeyCommand[]) =>
  replay(keySecretsProjection, inLogOrder(keyEvents([issue(), ...commands])));
const keyAfter = (...commands: readonly KeyCommand[]) =>
  replay(apiKeysProjection, inLogOrder(keyEvents([issue(), ...commands]))).get(keyId);

describe('The view of secrets', () => {
  it('knows the holder of each that works, and until when', () => {
    const { secretHash: _, hint: __, name: ___, ...holder } = key;
    expect(secretsAfter().get(FIRST)).to.deep.equal({ ...holder, worksUntil: null, isFrozen: false });
    const both = secretsAfter(rotate(SECOND, LATER));
    expect(both.get(FIRST)).to.include({ keyId, worksUntil: LATER });
    expect(both.get(SECOND)).to.include({ keyId, worksUntil: null });
    const one = secretsAfter(rotate(SECOND, LATER), rotate(THIRD, null));
    expect([...one.keys()]).to.deep.equal([THIRD]);
  });

  it('changes all of them with their key, and has none of a revoked one', () => {
    const secrets = secretsAfter(rotate(SECOND, LATER), freeze, amend);
    for (const hash of [FIRST, SECOND])
      expect(secrets.get(hash)).to.deep.include({ isFrozen: true, scopes: [], expiresAt: LATER });
    expect(secrets.get(FIRST)).to.include({ worksUntil: LATER });
    expect(secretsAfter(freeze, rotate(SECOND, null)).get(SECOND)).to.include({ isFrozen: true });
    expect(secretsAfter(freeze, unfreeze).get(FIRST)).to.include({ isFrozen: false });
    expect(secretsAfter(rotate(SECOND, LATER), revoke).size).to.equal(0);
  });

  it('makes no secret of one that it never had', () => {
    const [, frozen] = keyEvents([issue(), freeze]);
    if (frozen === undefined) throw new Error('it was frozen');
    const strange = { ...frozen, data: { ...frozen.data, secretHashes: [UNKNOWN] } };
    const secrets = replay(keySecretsProjection, inLogOrder([...keyEvents([issue()]), strange]));
    expect([...secrets.keys()]).to.deep.equal([FIRST]);
  });
});

describe('The view of keys', () => {
  it('shows what became of one, revoked or not', () => {
    expect(keyAfter(amend)).to.deep.include({ name: 'Other', scopes: [], expiresAt: LATER, hint: 'aaaa' });
    expect(keyAfter(rotate(SECOND, null))).to.include({ hint: 'bbbb', rotatedAt: at(1), name: 'Agent' });
    expect(keyAfter(freeze)).to.include({ frozenAt: at(1) });
    expect(keyAfter(freeze, unfreeze)).to.include({ frozenAt: null });
    expect(keyAfter(revoke)).to.include({ revokedAt: at(1), createdAt: at(0) });
  });

  it('names whoever was shown a secret that may work', () => {
    expect(keyAfter()).to.deep.include({ madeBy: 'actor-0', shownTo: ['actor-0'] });
    expect(keyAfter(rotate(SECOND, LATER))).to.deep.include({ shownTo: ['actor-0', 'actor-1'] });
    expect(keyAfter(rotate(SECOND, LATER), rotate(THIRD, null))).to.deep.include({
      madeBy: 'actor-0',
      shownTo: ['actor-2'],
    });
  });
});

describe('The accounts of an agency', () => {
  it('are those that ever had a key which acts for it, each once', () => {
    const [other, another] = ['other', 'another'].map((name) => idFrom('apiKey', at(0), name));
    const elsewhere = idFrom('account', at(0), 'elsewhere');
    const forAgency = { agency: 'ledgerworks' };
    const events = inLogOrder(
      keyEvents([issue(forAgency), amend, revoke]),
      keyEvents([issue({ ...forAgency, keyId: other ?? '' })], other),
      keyEvents([issue({ ...forAgency, keyId: another ?? '', accountId: elsewhere })], another),
      keyEvents([issue({ keyId: idFrom('apiKey', at(0), 'nobody') })], idFrom('apiKey', at(0), 'nobody')),
    );
    const agencies = replay(agencyAccountsProjection, events);
    expect([...agencies]).to.deep.equal([['ledgerworks', { accounts: [accountId, elsewhere] }]]);
  });
});

describe('The view of accounts', () => {
  const open: AccountCommand = { type: 'OpenAccount', accountId, handle: 'acme' };
  const accountAfter = (...commands: readonly AccountCommand[]) => {
    const timed = [open, ...commands].map((command, hour) => [at(hour), command] as const);
    return replay(accountsProjection, inLogOrder(streamOf(accountDecider, 'acme', ...timed))).get(accountId);
  };

  it('shows since when and why one is frozen, until it is not', () => {
    const frozen: AccountCommand = { type: 'FreezeAccount', reason: 'odd calls' };
    const shown = { accountId, handle: 'acme', openedAt: at(0) };
    expect(accountAfter()).to.deep.equal({ ...shown, frozenAt: null, frozenBecause: null });
    expect(accountAfter(frozen)).to.deep.equal({ ...shown, frozenAt: at(1), frozenBecause: 'odd calls' });
    expect(accountAfter(frozen, { type: 'UnfreezeAccount' })).to.deep.equal({
      ...shown,
      frozenAt: null,
      frozenBecause: null,
    });
    expect(accountAfter({ type: 'CloseAccount' })).to.equal(undefined);
  });
});

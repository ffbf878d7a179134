import { expect } from 'chai';
import type { AllotKey, KeyringCommand } from '../../commands/keyring/keyring.ts';
import { SNAPSHOT_EVERY_EVENTS } from '../../commands/decider.ts';
import { keyringDecider } from '../../commands/keyring/keyring.ts';
import type { Occurred } from '../../events/event.ts';
import { idFrom } from '../../events/ids.ts';
import type { KeyAllowance, KeyringFact } from '../../events/keyring-events.ts';
import { scenarios } from '../support/given-when-then.ts';
import { AT, accountId, terms } from '../support/sample-mandate.ts';

const given = scenarios(keyringDecider);
const first = idFrom('apiKey', AT, 'first');
const second = idFrom('apiKey', AT, 'second');
const NEXT_MONTH = '2026-12-01T00:00:00.000Z';

const allowance: KeyAllowance = {
  scopes: ['trials:create', 'jobs:read'],
  terms: terms({ maxMonthlyCents: 20_000 }),
  expiresAt: null,
  maxKeys: 2,
};

function allot(keyId: string, wanted: Partial<AllotKey['wanted']> = {}, otherwise = allowance): AllotKey {
  const powers = { scopes: ['trials:create'], terms: terms({ maxMonthlyCents: 12_000 }), expiresAt: null };
  return { type: 'AllotKey', accountId, keyId, wanted: { ...powers, ...wanted }, otherwise };
}

function allotted(keyId: string, maxMonthlyCents: number): Occurred<KeyringFact> {
  return {
    type: 'KeyAllotted',
    data: { accountId, keyId, maxMonthlyCents, maxSpendsPerMonth: null },
    at: AT,
  };
}

const ended = (keyId: string, at: string): Occurred<KeyringFact> => {
  return { type: 'KeyAllotmentEnded', data: { accountId, keyId }, at };
};

const allowed = (given_: KeyAllowance | null): Occurred<KeyringFact> => {
  return { type: 'KeyAllowanceSet', data: { accountId, allowance: given_ }, at: AT };
};

const beyond = (path: string, limit: string, value: string) => {
  return { kind: 'beyond_allowance' as const, excesses: [{ path, limit, value }] as const };
};

describe('A keyring', () => {
  it('sets a share aside for a key within what is allowed', () => {
    const data = { accountId, keyId: first, maxMonthlyCents: 12_000, maxSpendsPerMonth: null };
    given().when(allot(first), AT).thenFacts({ type: 'KeyAllotted', data });
  });

  it('gives all keys together no more in a month than is allowed', () => {
    given(allotted(first, 12_000))
      .when(allot(second), AT)
      .thenRejected(beyond('mandate.maxMonthlyCents', '20000', '24000'));
    const few = { ...allowance, terms: terms({ maxSpendsPerMonth: 5, maxMonthlyCents: 90_000 }) };
    given(allotted(first, 1))
      .when(allot(second, { terms: terms({ maxSpendsPerMonth: 5 }) }, few), AT)
      .thenRejected(beyond('mandate.maxSpendsPerMonth', '5', 'any'));
  });

  it('allows so many keys', () => {
    given(allotted(second, 0), allotted(idFrom('apiKey', AT, 'third'), 0))
      .when(allot(first), AT)
      .thenRejected(beyond('keys', '2', '3'));
  });

  it('lets a share grow and never shrink, so that changes under way cannot add up to more', () => {
    given(allotted(first, 12_000))
      .when(allot(first, { terms: terms({ maxMonthlyCents: 5_000 }) }), AT)
      .thenNothing();
    const data = { accountId, keyId: first, maxMonthlyCents: 20_000, maxSpendsPerMonth: null };
    given(allotted(first, 12_000))
      .when(allot(first, { terms: terms({ maxMonthlyCents: 20_000 }) }), AT)
      .thenFacts({ type: 'KeyAllotted', data });
  });

  it('lets a share of spends grow and never shrink either, and be without bound for good', () => {
    const share = { accountId, keyId: first, maxMonthlyCents: 12_000 };
    const had = { type: 'KeyAllotted', data: { ...share, maxSpendsPerMonth: 5 }, at: AT } as const;
    const wish = (maxSpendsPerMonth: number | null) =>
      allot(first, { terms: terms({ maxMonthlyCents: 12_000, maxSpendsPerMonth }) });
    given(had).when(wish(3), AT).thenNothing();
    for (const grown of [7, null])
      given(had)
        .when(wish(grown), AT)
        .thenFacts({ type: 'KeyAllotted', data: { ...share, maxSpendsPerMonth: grown } });
    given(allotted(first, 12_000)).when(wish(3), AT).thenNothing();
  });

  it('gives a share back once, when the month in which its key ended is over', () => {
    const end: KeyringCommand = { type: 'EndKeyAllotment', accountId, keyId: first };
    given(allotted(first, 12_000))
      .when(end, AT)
      .thenFacts({ type: 'KeyAllotmentEnded', data: { accountId, keyId: first } });
    given(allotted(first, 12_000), ended(first, AT)).when(end, AT).thenNothing();
    const data = { accountId, keyId: second, maxMonthlyCents: 12_000, maxSpendsPerMonth: null };
    given(allotted(first, 12_000), ended(first, AT))
      .when(allot(second), NEXT_MONTH)
      .thenFacts({ type: 'KeyAllotted', data });
  });

  it('counts what ended keys may have spent of the month, of all of them, and not as keys', () => {
    const few = { ...allowance, terms: terms({ maxSpendsPerMonth: 5, maxMonthlyCents: 20_000 }) };
    const wanted = { terms: terms({ maxSpendsPerMonth: 1, maxMonthlyCents: 1 }) };
    const share = { accountId, keyId: first, maxMonthlyCents: 12_000, maxSpendsPerMonth: 5 };
    given({ type: 'KeyAllotted', data: share, at: AT }, ended(first, AT))
      .when(allot(second, wanted, few), AT)
      .thenRejected(beyond('mandate.maxSpendsPerMonth', '5', '6'));
    given(allotted(first, 12_000), ended(first, AT), allotted(second, 8_000), ended(second, AT))
      .when(allot(first, { terms: terms({ maxMonthlyCents: 1 }) }), AT)
      .thenRejected(beyond('mandate.maxMonthlyCents', '20000', '20001'));
    given(allotted(first, 0), ended(first, AT), allotted(first, 0))
      .when(allot(second, { terms: terms({ maxMonthlyCents: 1 }) }), AT)
      .thenFacts({
        type: 'KeyAllotted',
        data: { accountId, keyId: second, maxMonthlyCents: 1, maxSpendsPerMonth: null },
      });
  });

  it('lets a key that gets nothing more be changed and rotated, whatever revoked keys spent', () => {
    const lowered = allowed({ ...allowance, terms: terms({ maxMonthlyCents: 10_000 }) });
    const within = { terms: terms({ maxMonthlyCents: 8_000 }) };
    const history = [allotted(first, 8_000), allotted(second, 12_000), ended(second, AT), lowered];
    given(...history)
      .when(allot(first, within), AT)
      .thenNothing();
    given(...history)
      .when(allot(first, { terms: terms({ maxMonthlyCents: 9_000 }) }), AT)
      .thenRejected(beyond('mandate.maxMonthlyCents', '10000', '21000'));
  });

  it('forgets what ended in months before', () => {
    const { state } = given(
      allotted(first, 12_000),
      ended(first, AT),
      allotted(second, 8_000),
      ended(second, NEXT_MONTH),
    );
    expect(state.ended).to.deep.equal({ period: '2026-12', maxMonthlyCents: 8_000, maxSpendsPerMonth: null });
  });

  for (const [what, wanted, path, limit, value] of [
    ['a scope more', { scopes: ['jobs:cancel'] }, 'scopes', 'trials:create,jobs:read', 'jobs:cancel'],
    [
      'a higher cap of one spend',
      { terms: terms({ maxPerTransactionCents: 5_001 }) },
      'mandate.maxPerTransactionCents',
      '5000',
      '5001',
    ],
    [
      'an action more',
      { terms: terms({ allowedActions: ['trial:create', 'bundle:buy'] }) },
      'mandate.allowedActions',
      'trial:create',
      'trial:create,bundle:buy',
    ],
  ] as const) {
    it(`does not give ${what}`, () => {
      given()
        .when(allot(first, wanted), AT)
        .thenRejected(beyond(path, limit, value));
    });
  }

  it('takes no limit for more than any limit', () => {
    const until = '2027-01-01T00:00:00.000Z';
    const bounded: KeyAllowance = {
      ...allowance,
      expiresAt: until,
      terms: terms({ allowedAgents: ['a'], allowedAgencies: ['b'], expiresAt: until, validFrom: AT }),
    };
    given()
      .when(allot(first, {}, bounded), AT)
      .thenRejected({
        kind: 'beyond_allowance',
        excesses: [
          { path: 'expiresAt', limit: until, value: 'never' },
          { path: 'mandate.validFrom', limit: AT, value: 'at once' },
          { path: 'mandate.expiresAt', limit: until, value: 'never' },
          { path: 'mandate.allowedAgencies', limit: 'b', value: 'any' },
          { path: 'mandate.allowedAgents', limit: 'a', value: 'any' },
        ],
      });
  });

  it('takes an end that is as late and no later, and a beginning that is as early and no earlier', () => {
    const [early, from, until, late] = [2026, 2027, 2028, 2029].map((year) => `${year}-01-01T00:00:00.000Z`);
    const bounded: KeyAllowance = {
      ...allowance,
      expiresAt: until ?? null,
      terms: terms({ expiresAt: until ?? null, validFrom: from ?? null }),
    };
    const wish = (validFrom = from, expiresAt = until) => {
      const ends = expiresAt ?? null;
      const wanted = terms({ maxMonthlyCents: 1, validFrom: validFrom ?? null, expiresAt: ends });
      return allot(first, { expiresAt: ends, terms: wanted }, bounded);
    };
    const data = { accountId, keyId: first, maxMonthlyCents: 1, maxSpendsPerMonth: null };
    given().when(wish(), AT).thenFacts({ type: 'KeyAllotted', data });
    given()
      .when(wish(early), AT)
      .thenRejected(beyond('mandate.validFrom', from ?? '', early ?? ''));
    given()
      .when(wish(from, late), AT)
      .thenRejected({
        kind: 'beyond_allowance',
        excesses: [
          { path: 'expiresAt', limit: until ?? '', value: late ?? '' },
          { path: 'mandate.expiresAt', limit: until ?? '', value: late ?? '' },
        ],
      });
  });

  it('is read back to the last share that was set aside or ended after a hundred events', () => {
    const many = Array.from({ length: SNAPSHOT_EVERY_EVENTS - 2 }, () => allotted(first, 5_000));
    const history = [allowed(allowance), allotted(second, 3_000), ...many.slice(1), ended(second, AT)];
    const ends: KeyringCommand = { type: 'EndKeyAllotment', accountId, keyId: first };
    const plain = { accountId, keyId: first };
    given(...history.slice(1))
      .when(ends, AT)
      .thenFacts({ type: 'KeyAllotmentEnded', data: plain });
    const of = (maxMonthlyCents: number) => ({ maxMonthlyCents, maxSpendsPerMonth: null });
    const over = { period: '2026-11', ...of(3_000) };
    const shares = [{ keyId: first, ...of(6_000) }];
    const grown = {
      type: 'KeyAllotted',
      data: { ...plain, ...of(6_000), carried: { allowance, shares, ended: over } },
    } as const;
    given(...history, allotted(first, 5_000))
      .when(allot(first, { terms: terms({ maxMonthlyCents: 6_000 }) }), AT)
      .thenFacts(grown);
    const gone = { allowance, shares: [], ended: { ...over, ...of(8_000) } };
    given(...history, allotted(first, 5_000))
      .when(ends, AT)
      .thenFacts({ type: 'KeyAllotmentEnded', data: { ...plain, carried: gone } });
    const { state, when } = given({ ...grown, at: AT });
    const carried = { allowance, shares: new Map([[first, of(6_000)]]), ended: over };
    expect(state).to.deep.equal({ ...carried, eventsSinceSnapshot: 0 });
    when(allot(second), AT).thenRejected(beyond('mandate.maxMonthlyCents', '20000', '21000'));
    expect(keyringDecider.isSnapshot?.(grown.type, grown.data)).to.equal(true);
    expect(keyringDecider.isSnapshot?.('KeyAllotmentEnded', plain)).to.equal(false);
  });

  it('goes by the word of an operator until it is taken back', () => {
    const none = { ...allowance, maxKeys: 0 };
    given(allowed(none))
      .when(allot(first), AT)
      .thenRejected(beyond('keys', '0', '1'));
    given(allowed(none)).when({ type: 'SetKeyAllowance', accountId, allowance: none }, AT).thenNothing();
    given(allowed(none))
      .when({ type: 'SetKeyAllowance', accountId, allowance: null }, AT)
      .thenFacts({ type: 'KeyAllowanceSet', data: { accountId, allowance: null } });
    given(allowed(allowance), allowed(null))
      .when(allot(first, {}, none), AT)
      .thenRejected(beyond('keys', '0', '1'));
  });
});

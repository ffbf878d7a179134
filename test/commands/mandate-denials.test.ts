import { expect } from 'chai';
import type { Violation } from '../../commands/mandate/controls.ts';
import { type MandateCommand, mandateDecider } from '../../commands/mandate/mandate.ts';
import type { Occurred } from '../../events/event.ts';
import { DENIAL_REASONS, type MandateFact, type MandateTerms } from '../../events/mandate-events.ts';
import { scenarios } from '../support/given-when-then.ts';
import {
  AT,
  denied,
  granted,
  order,
  revoked,
  spend,
  spent,
  spentFact,
  suspended,
} from '../support/sample-mandate.ts';

const given = scenarios(mandateDecider);
const BEFORE = '2026-11-01T00:00:00.000Z';

describe('A denial', () => {
  const wish = spend(100);
  const violationOf: Record<(typeof DENIAL_REASONS)[number], [Occurred<MandateFact>[], Violation]> = {
    mandate_revoked: [
      [granted(BEFORE), revoked(BEFORE)],
      { reason: 'mandate_revoked', control: 'status', limit: 'active', value: 'revoked' },
    ],
    mandate_suspended: [
      [granted(BEFORE), suspended(BEFORE)],
      { reason: 'mandate_suspended', control: 'status', limit: 'active', value: 'suspended' },
    ],
    mandate_not_yet_valid: [
      [granted(BEFORE, { validFrom: '2026-11-27T09:30:00.001Z' })],
      { reason: 'mandate_not_yet_valid', control: 'validFrom', limit: '2026-11-27T09:30:00.001Z', value: AT },
    ],
    mandate_expired: [
      [granted(BEFORE, { expiresAt: AT })],
      { reason: 'mandate_expired', control: 'expiresAt', limit: AT, value: AT },
    ],
    action_not_allowed: [
      [granted(BEFORE, { allowedActions: ['bundle:buy'] })],
      {
        reason: 'action_not_allowed',
        control: 'allowedActions',
        limit: ['bundle:buy'],
        value: 'trial:create',
      },
    ],
    payee_not_allowed: [
      [granted(BEFORE, { allowedAgencies: ['other'] })],
      { reason: 'payee_not_allowed', control: 'allowedAgencies', limit: ['other'], value: 'ledgerworks' },
    ],
    transaction_cap: [
      [granted(BEFORE, { maxPerTransactionCents: 99 })],
      { reason: 'transaction_cap', control: 'maxPerTransactionCents', limit: 99, value: 100 },
    ],
    spend_count: [
      [granted(BEFORE, { maxSpendsPerMonth: 1 }), spent(BEFORE, 100, 'first')],
      { reason: 'spend_count', control: 'maxSpendsPerMonth', limit: 1, value: 2 },
    ],
    monthly_cap: [
      [granted(BEFORE, { maxMonthlyCents: 150 }), spent(BEFORE, 100, 'first')],
      { reason: 'monthly_cap', control: 'maxMonthlyCents', limit: 150, value: 200 },
    ],
  };

  for (const [reason, [history, violation]] of Object.entries(violationOf)) {
    it(`says ${reason} with the limit and the value, and nothing else when nothing else is violated`, () => {
      given(...history)
        .when(wish, AT)
        .thenRejected(denied(violation));
    });
  }

  it('names an agent that may not be hired, and an agency and an agent each on its own', () => {
    const agents = {
      reason: 'payee_not_allowed',
      control: 'allowedAgents',
      limit: ['b'],
      value: 'invoice-matcher',
    } as const;
    given(granted(BEFORE, { allowedAgencies: ['ledgerworks'], allowedAgents: ['b'] }))
      .when(wish, AT)
      .thenRejected(denied(agents));
    given(granted(BEFORE, { allowedAgencies: [], allowedAgents: ['b'] }))
      .when(wish, AT)
      .thenRejected(
        denied(
          { reason: 'payee_not_allowed', control: 'allowedAgencies', limit: [], value: 'ledgerworks' },
          agents,
        ),
      );
  });

  it('lists every violated control in the order in which they are tested', () => {
    const everything = {
      validFrom: '2027-01-01T00:00:00.000Z',
      expiresAt: '2026-11-02T00:00:00.000Z',
      allowedActions: [],
      allowedAgencies: [],
      allowedAgents: [],
      maxPerTransactionCents: 1,
      maxSpendsPerMonth: 0,
      maxMonthlyCents: 1,
    };
    for (const [standing, reason] of [
      [suspended(BEFORE), 'mandate_suspended'],
      [revoked(BEFORE), 'mandate_revoked'],
    ] as const) {
      const reasons = reasonsOf([granted(BEFORE, everything), standing], wish, AT);
      const others = DENIAL_REASONS.filter((one) => one !== 'mandate_suspended' && one !== 'mandate_revoked');
      const [expiry, action, ...rest] = others.slice(1);
      expect(reasons).to.deep.equal([reason, others[0], expiry, action, 'payee_not_allowed', ...rest]);
    }
  });

  it('gives way when the first violated control is mended: each reason comes before those after it', () => {
    const pairs: [Partial<MandateTerms>, string][] = [
      [{ validFrom: '2027-01-01T00:00:00.000Z' }, 'mandate_not_yet_valid'],
      [{ expiresAt: '2026-11-02T00:00:00.000Z' }, 'mandate_expired'],
      [{ allowedActions: [] }, 'action_not_allowed'],
      [{ allowedAgents: [] }, 'payee_not_allowed'],
      [{ maxPerTransactionCents: 1 }, 'transaction_cap'],
      [{ maxSpendsPerMonth: 0 }, 'spend_count'],
      [{ maxMonthlyCents: 1 }, 'monthly_cap'],
    ];
    for (const [index, [, reason]] of pairs.entries()) {
      const still = Object.assign({}, ...pairs.slice(index).map(([broken]) => broken));
      expect(
        reasonsOf([granted(BEFORE, still)], wish, AT)[0],
        `with ${pairs.length - index} broken`,
      ).to.equal(reason);
    }
  });

  it('ends where the mandate becomes valid, and begins in the instant in which it expires', () => {
    const from = '2026-11-10T00:00:00.000Z';
    const until = '2026-11-20T00:00:00.000Z';
    const history = [granted(BEFORE, { validFrom: from, expiresAt: until })];
    given(...history)
      .when(wish, from)
      .thenFacts(spentFact(wish, '2026-11', 100));
    given(...history)
      .when(wish, '2026-11-19T23:59:59.999Z')
      .thenFacts(spentFact(wish, '2026-11', 100));
    expect(reasonsOf(history, wish, '2026-11-09T23:59:59.999Z')).to.deep.equal(['mandate_not_yet_valid']);
    expect(reasonsOf(history, wish, until)).to.deep.equal(['mandate_expired']);
  });

  it('does not open a new period: what is refused leaves no trace in the mandate', () => {
    given(granted(BEFORE, { maxMonthlyCents: 1 }))
      .when(wish, '2026-12-24T00:00:00.000Z')
      .thenRejected(denied({ reason: 'monthly_cap', control: 'maxMonthlyCents', limit: 1, value: 100 }));
  });

  it('tells the payee of the order, not of the terms', () => {
    const elsewhere = spend(100, 'elsewhere', {
      order: order('elsewhere', { agency: 'other', agent: { slug: 'another', name: 'Another' } }),
    });
    given(granted(BEFORE, { allowedAgencies: ['ledgerworks'] }))
      .when(elsewhere, AT)
      .thenRejected(
        denied({
          reason: 'payee_not_allowed',
          control: 'allowedAgencies',
          limit: ['ledgerworks'],
          value: 'other',
        }),
      );
  });
});

function reasonsOf(history: Occurred<MandateFact>[], command: MandateCommand, at: string): readonly string[] {
  const decision = mandateDecider.decide(command, given(...history).state, at);
  if (decision.ok || decision.rejection.kind !== 'denied') throw new Error('the spend was not denied');
  return decision.rejection.violations.map(({ reason }) => reason);
}

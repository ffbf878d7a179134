import { expect } from 'chai';
import { type MandateCommand, mandateDecider } from '../../commands/mandate/mandate.ts';
import { scenarios } from '../support/given-when-then.ts';
import {
  AT,
  amended,
  carried,
  denied,
  grant,
  granted,
  release,
  resumed,
  revoked,
  spend,
  spent,
  spentFact,
  suspended,
  terms,
} from '../support/sample-mandate.ts';

const given = scenarios(mandateDecider);
const BEFORE = '2026-11-01T00:00:00.000Z';

describe('A mandate is granted once', () => {
  it('begins with its terms', () => {
    const { mandateId, accountId, terms } = grant();
    given().when(grant(), AT).thenFacts({ type: 'MandateGranted', data: { mandateId, accountId, terms } });
  });

  for (const [status, history] of Object.entries({
    active: [granted(BEFORE)],
    suspended: [granted(BEFORE), suspended(BEFORE)],
    revoked: [granted(BEFORE), revoked(BEFORE)],
  })) {
    it(`is not granted again when ${status}`, () => {
      given(...history)
        .when(grant(), AT)
        .thenRejected({ kind: 'already_granted' });
    });
  }

  const commands: readonly MandateCommand[] = [
    { type: 'AmendMandate', changes: terms() },
    { type: 'SuspendMandate', reason: 'why not' },
    { type: 'ResumeMandate' },
    { type: 'RevokeMandate', reason: 'why not' },
    spend(100),
    release(100, '2026-11'),
  ];
  for (const command of commands) {
    it(`does nothing for ${command.type} before it is granted`, () => {
      given().when(command, AT).thenRejected({ kind: 'absent' });
    });
  }
});

describe('A mandate is amended, suspended, resumed and revoked', () => {
  const active = [granted(BEFORE)];
  const pausing = [...active, suspended(BEFORE)];
  const ended = [...active, revoked(BEFORE)];
  const newTerms = terms({ maxMonthlyCents: 1 });
  const amend = { type: 'AmendMandate', changes: newTerms } as const;
  const suspend = { type: 'SuspendMandate', reason: 'it bought twice' } as const;
  const resume = { type: 'ResumeMandate' } as const;
  const revoke = { type: 'RevokeMandate', reason: 'the key was lost' } as const;

  it('takes new terms while active or suspended, and none once revoked', () => {
    const fact = { type: 'MandateAmended', data: { terms: newTerms } } as const;
    given(...active)
      .when(amend, AT)
      .thenFacts(fact);
    given(...pausing)
      .when(amend, AT)
      .thenFacts(fact);
    given(...ended)
      .when(amend, AT)
      .thenRejected({ kind: 'status', status: 'revoked' });
  });

  it('keeps the terms that are not named, whatever they were amended to meanwhile', () => {
    given(...active, amended(BEFORE, { maxMonthlyCents: 1 }))
      .when({ type: 'AmendMandate', changes: { maxPerTransactionCents: 2 } }, AT)
      .thenFacts({
        type: 'MandateAmended',
        data: { terms: terms({ maxMonthlyCents: 1, maxPerTransactionCents: 2 }) },
      });
  });

  it('is suspended only while active', () => {
    given(...active)
      .when(suspend, AT)
      .thenFacts({ type: 'MandateSuspended', data: { reason: 'it bought twice' } });
    given(...pausing)
      .when(suspend, AT)
      .thenRejected({ kind: 'status', status: 'suspended' });
    given(...ended)
      .when(suspend, AT)
      .thenRejected({ kind: 'status', status: 'revoked' });
  });

  it('is resumed only while suspended', () => {
    given(...pausing)
      .when(resume, AT)
      .thenFacts({ type: 'MandateResumed', data: {} });
    given(...active)
      .when(resume, AT)
      .thenRejected({ kind: 'status', status: 'active' });
    given(...ended)
      .when(resume, AT)
      .thenRejected({ kind: 'status', status: 'revoked' });
  });

  it('is revoked whether active or suspended, and revoking it again changes nothing', () => {
    const fact = { type: 'MandateRevoked', data: { reason: 'the key was lost' } } as const;
    given(...active)
      .when(revoke, AT)
      .thenFacts(fact);
    given(...pausing)
      .when(revoke, AT)
      .thenFacts(fact);
    given(...ended)
      .when(revoke, AT)
      .thenNothing();
  });

  it('may be spent against again after it was resumed', () => {
    const wish = spend(100);
    given(...pausing, resumed(BEFORE))
      .when(wish, AT)
      .thenFacts(spentFact(wish, '2026-11', 100));
  });
});

describe('A spend', () => {
  it('is counted up to the very cap, and not one cent beyond', () => {
    const history = [
      granted(BEFORE, { maxPerTransactionCents: 1_000, maxMonthlyCents: 2_000 }),
      spent(BEFORE, 1_000, 'first'),
    ];
    const exact = spend(1_000);
    given(...history)
      .when(exact, AT)
      .thenFacts(spentFact(exact, '2026-11', 2_000, 80, 100));
    given(...history)
      .when(spend(1_001), AT)
      .thenRejected(
        denied(
          { reason: 'transaction_cap', control: 'maxPerTransactionCents', limit: 1_000, value: 1_001 },
          { reason: 'monthly_cap', control: 'maxMonthlyCents', limit: 2_000, value: 2_001 },
        ),
      );
  });

  it('of nothing passes a mandate that allows nothing, for it costs nothing', () => {
    const free = spend(0);
    given(granted(BEFORE, { maxPerTransactionCents: 0, maxMonthlyCents: 0 }))
      .when(free, AT)
      .thenFacts(spentFact(free, '2026-11', 0));
  });

  it('is counted after a cap was lowered below what is spent only in the next period', () => {
    const history = [
      granted(BEFORE),
      spent(BEFORE, 5_000, 'first'),
      amended(BEFORE, { maxMonthlyCents: 3_000 }),
    ];
    given(...history)
      .when(spend(1), AT)
      .thenRejected(
        denied({ reason: 'monthly_cap', control: 'maxMonthlyCents', limit: 3_000, value: 5_001 }),
      );
    const later = spend(3_000);
    given(...history)
      .when(later, '2026-12-01T00:00:00.000Z')
      .thenFacts(
        {
          type: 'MandatePeriodOpened',
          data: carried({ period: '2026-12', terms: terms({ maxMonthlyCents: 3_000 }) }),
        },
        spentFact(later, '2026-12', 3_000, 80, 100),
      );
  });

  it('is counted at once after a cap was raised, on top of what is spent', () => {
    const wish = spend(5_000);
    given(
      granted(BEFORE, { maxMonthlyCents: 5_000 }),
      spent(BEFORE, 5_000, 'first'),
      amended(BEFORE, { maxMonthlyCents: 10_000 }),
    )
      .when(wish, AT)
      .thenFacts(spentFact(wish, '2026-11', 10_000, 80, 100));
  });

  it('cannot slip through where caps are as large as numbers get', () => {
    const most = Number.MAX_SAFE_INTEGER;
    given(
      granted(BEFORE, { maxPerTransactionCents: most, maxMonthlyCents: most }),
      spent(BEFORE, most, 'first'),
    )
      .when(spend(1), AT)
      .thenRejected(
        denied({ reason: 'monthly_cap', control: 'maxMonthlyCents', limit: most, value: most + 1 }),
      );
  });
});

describe('A spend that reaches a threshold of the monthly cap', () => {
  const reached = (before: number, amount: number, maxMonthlyCents: number): unknown => {
    const history = [granted(AT, { maxMonthlyCents, maxPerTransactionCents: 1_000_000 })];
    const state = given(...history, spent(AT, before, 'before')).state;
    const decision = mandateDecider.decide(spend(amount), state, AT);
    const [fact] = decision.ok ? decision.facts : [];
    return fact?.type === 'MandateSpent' ? fact.data.reaches : null;
  };

  it('says so: 80 and 100 %, each when the total comes to it, to the cent', () => {
    expect(reached(0, 7_999, 10_000)).to.equal(undefined);
    expect(reached(0, 8_000, 10_000)).to.deep.equal([80]);
    expect(reached(7_999, 1, 10_000)).to.deep.equal([80]);
    expect(reached(8_000, 1_999, 10_000)).to.equal(undefined);
    expect(reached(8_000, 2_000, 10_000)).to.deep.equal([100]);
    expect(reached(0, 10_000, 10_000)).to.deep.equal([80, 100]);
    expect(reached(0, 2, 3)).to.equal(undefined);
    expect(reached(0, 3, 3)).to.deep.equal([80, 100]);
  });

  it('does not where nothing may be spent', () => {
    expect(reached(0, 0, 0)).to.equal(undefined);
  });
});

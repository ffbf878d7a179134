import { expect } from 'chai';
import { SNAPSHOT_EVERY_EVENTS } from '../../commands/decider.ts';
import { type Mandate, totalsAt } from '../../commands/mandate/mandate-state.ts';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import type { Occurred } from '../../events/event.ts';
import type { MandateFact } from '../../events/mandate-events.ts';
import { scenarios } from '../support/given-when-then.ts';
import {
  AT,
  amended,
  balanceCarried,
  carried,
  denied,
  granted,
  periodOpened,
  release,
  released,
  releasedFact,
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

describe('A period is a calendar month in UTC', () => {
  const edges: [last: string, period: string, first: string, next: string][] = [
    ['2026-01-31T23:59:59.999Z', '2026-01', '2026-02-01T00:00:00.000Z', '2026-02'],
    ['2026-02-28T23:59:59.999Z', '2026-02', '2026-03-01T00:00:00.000Z', '2026-03'],
    ['2028-02-28T23:59:59.999Z', '2028-02', '2028-03-01T00:00:00.000Z', '2028-03'],
    ['2028-02-29T23:59:59.999Z', '2028-02', '2028-03-01T00:00:00.000Z', '2028-03'],
    ['2026-12-31T23:59:59.999Z', '2026-12', '2027-01-01T00:00:00.000Z', '2027-01'],
  ];
  for (const [last, period, first, next] of edges) {
    it(`${period} ends after ${last}, and ${next} begins with nothing spent`, () => {
      const begin = `${period}-01T00:00:00.000Z`;
      const history = [granted(begin, { maxMonthlyCents: 500 }), spent(begin, 300, 'first')];
      const late = spend(200, 'late');
      given(...history)
        .when(late, last)
        .thenFacts(spentFact(late, period, 500, 80, 100));
      const early = spend(500, 'early');
      given(...history)
        .when(early, first)
        .thenFacts(
          {
            type: 'MandatePeriodOpened',
            data: carried({ period: next, terms: terms({ maxMonthlyCents: 500 }) }),
          },
          spentFact(early, next, 500, 80, 100),
        );
    });
  }

  it('counts the spends of a month, not of all months', () => {
    const wish = spend(1);
    given(granted(BEFORE, { maxSpendsPerMonth: 1 }), spent(BEFORE, 1, 'first'))
      .when(wish, '2027-04-01T00:00:00.000Z')
      .thenFacts(
        {
          type: 'MandatePeriodOpened',
          data: carried({ period: '2027-04', terms: terms({ maxSpendsPerMonth: 1 }) }),
        },
        spentFact(wish, '2027-04', 1),
      );
  });

  it('is opened by whatever changes the mandate first, and carries a suspension forward', () => {
    const history = [granted(BEFORE), spent(BEFORE, 300), suspended(BEFORE)];
    const opening = {
      type: 'MandatePeriodOpened',
      data: carried({ period: '2026-12', status: 'suspended' }),
    } as const;
    const at = '2026-12-02T00:00:00.000Z';
    given(...history)
      .when({ type: 'ResumeMandate' }, at)
      .thenFacts(opening, { type: 'MandateResumed', data: {} });
    given(...history)
      .when({ type: 'AmendMandate', changes: terms({ maxMonthlyCents: 7 }) }, at)
      .thenFacts(opening, { type: 'MandateAmended', data: { terms: terms({ maxMonthlyCents: 7 }) } });
  });

  it('is not opened again by a clock that runs backwards: the later month goes on', () => {
    const wish = spend(100);
    given(
      granted(BEFORE, { maxMonthlyCents: 500 }),
      periodOpened('2026-12-01T00:00:00.000Z', { terms: terms({ maxMonthlyCents: 500 }) }),
      spent('2026-12-01T00:00:00.000Z', 400, 'first'),
    )
      .when(wish, '2026-11-30T23:59:59.999Z')
      .thenFacts(spentFact(wish, '2026-12', 500, 100));
  });
});

describe('A release gives a spend back to the period it was made in', () => {
  it('makes room in the running month, for money and for count', () => {
    const history = [
      granted(BEFORE, { maxMonthlyCents: 500, maxSpendsPerMonth: 1 }),
      spent(BEFORE, 500, 'first'),
      released(BEFORE, 500, '2026-11', 'first'),
    ];
    const wish = spend(500);
    given(...history)
      .when(wish, AT)
      .thenFacts(spentFact(wish, '2026-11', 500, 80, 100));
  });

  it('makes no room in the month after', () => {
    const december = '2026-12-01T00:00:00.000Z';
    const history = [granted(BEFORE, { maxMonthlyCents: 500 }), spent(BEFORE, 500, 'first')];
    const giveBack = release(500, '2026-11', 'first');
    given(...history)
      .when(giveBack, december)
      .thenFacts(
        {
          type: 'MandatePeriodOpened',
          data: carried({ period: '2026-12', terms: terms({ maxMonthlyCents: 500 }) }),
        },
        releasedFact(giveBack),
      );
    const after = [
      ...history,
      periodOpened(december, { terms: terms({ maxMonthlyCents: 500 }) }),
      spent(december, 500, 'second'),
      released(december, 500, '2026-11', 'first'),
    ];
    given(...after)
      .when(spend(1), december)
      .thenRejected(denied({ reason: 'monthly_cap', control: 'maxMonthlyCents', limit: 500, value: 501 }));
  });

  it('reaches through a balance snapshot within the month', () => {
    const history = [
      granted(BEFORE, { maxMonthlyCents: 500 }),
      spent(BEFORE, 500, 'first'),
      balanceCarried(BEFORE, { terms: terms({ maxMonthlyCents: 500 }), spentCents: 500, spendCount: 1 }),
      released(AT, 500, '2026-11', 'first'),
    ];
    const wish = spend(500);
    given(...history)
      .when(wish, AT)
      .thenFacts(spentFact(wish, '2026-11', 500, 80, 100));
  });

  it('is made also when the mandate is suspended or revoked by then', () => {
    const giveBack = release(100, '2026-11');
    const history = [granted(BEFORE), spent(BEFORE, 100)];
    given(...history, suspended(BEFORE))
      .when(giveBack, AT)
      .thenFacts(releasedFact(giveBack));
    given(...history, revoked(BEFORE))
      .when(giveBack, AT)
      .thenFacts(releasedFact(giveBack));
    given(...history, revoked(BEFORE))
      .when(giveBack, '2026-12-01T00:00:00.000Z')
      .thenFacts(releasedFact(giveBack));
  });
});

describe('The books are closed', () => {
  const full = (events: number): Occurred<MandateFact>[] => [
    granted(BEFORE, { maxMonthlyCents: 1_000_000 }),
    ...Array.from({ length: events - 1 }, (_, n) => spent(BEFORE, 1, `spend ${n}`)),
  ];
  const large = terms({ maxMonthlyCents: 1_000_000 });

  it(`after ${SNAPSHOT_EVERY_EVENTS} events: the balance goes before the next fact, whatever that is`, () => {
    const history = full(SNAPSHOT_EVERY_EVENTS);
    const balance = carried({
      terms: large,
      spentCents: SNAPSHOT_EVERY_EVENTS - 1,
      spendCount: SNAPSHOT_EVERY_EVENTS - 1,
    });
    const wish = spend(1);
    given(...history)
      .when(wish, AT)
      .thenFacts(
        { type: 'MandateBalanceCarried', data: balance },
        spentFact(wish, '2026-11', SNAPSHOT_EVERY_EVENTS),
      );
    given(...history)
      .when({ type: 'SuspendMandate', reason: 'enough' }, AT)
      .thenFacts(
        { type: 'MandateBalanceCarried', data: balance },
        { type: 'MandateSuspended', data: { reason: 'enough' } },
      );
    const giveBack = release(1, '2026-11', 'spend 0');
    given(...history)
      .when(giveBack, AT)
      .thenFacts({ type: 'MandateBalanceCarried', data: balance }, releasedFact(giveBack));
  });

  it('not one event earlier', () => {
    const wish = spend(1);
    given(...full(SNAPSHOT_EVERY_EVENTS - 1))
      .when(wish, AT)
      .thenFacts(spentFact(wish, '2026-11', SNAPSHOT_EVERY_EVENTS - 1));
  });

  it('once when a new month begins just then: its opening carries everything', () => {
    const wish = spend(1);
    given(...full(SNAPSHOT_EVERY_EVENTS))
      .when(wish, '2026-12-01T00:00:00.000Z')
      .thenFacts(
        { type: 'MandatePeriodOpened', data: carried({ period: '2026-12', terms: large }) },
        spentFact(wish, '2026-12', 1),
      );
  });

  it('so that all that counts from then on is in the snapshot: folding from it leads to the same state', () => {
    const terms_ = terms({
      maxMonthlyCents: 700,
      allowedAgents: ['a', 'b'],
      expiresAt: '2028-01-01T00:00:00.000Z',
    });
    const history = [granted(BEFORE), spent(BEFORE, 300), amended(BEFORE, terms_), suspended(BEFORE)];
    const snapshot = balanceCarried(AT, {
      terms: terms_,
      status: 'suspended',
      spentCents: 300,
      spendCount: 1,
    });
    const after = [resumed(AT), spent(AT, 50, 'second')];
    expect(given(snapshot, ...after).state).to.deep.equal(given(...history, snapshot, ...after).state);
  });
});

describe('The totals that a decision starts from', () => {
  const state = given(granted(BEFORE), spent(BEFORE, 300)).state;
  it('are those of the open period until a new month begins', () => {
    expect(totals(state, '2026-11-30T23:59:59.999Z')).to.deep.equal(['2026-11', 300, 1]);
    expect(totals(state, '2026-12-01T00:00:00.000Z')).to.deep.equal(['2026-12', 0, 0]);
    expect(totals(state, '2026-10-31T23:59:59.999Z')).to.deep.equal(['2026-11', 300, 1]);
  });
});

function totals(mandate: Mandate, at: string): [string, number, number] {
  if (mandate.status === 'absent') throw new Error('there is no mandate');
  const { period, spentCents, spendCount } = totalsAt(mandate, at);
  return [period, spentCents, spendCount];
}

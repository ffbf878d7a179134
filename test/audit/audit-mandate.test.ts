import { expect } from 'chai';
import type { RecordedEvent } from '../../events/event.ts';
import { GENESIS, eventHash } from '../../events/hash-chain.ts';
import { jobFacts } from '../support/sample-job.ts';
import { auditOf, chainedAnew, historyOf, numberedAnew } from '../support/sample-history.ts';
import { AT, carried, release, spend, terms } from '../support/sample-mandate.ts';

const LATER = '2026-11-28T00:00:00.000Z';
const DECEMBER = '2026-12-02T00:00:00.000Z';

/** Granted, 1: spent 10.00, 2: spent 20.00, 3: first given back, 4: December opened, 5: spent 5.00, 6: amended. */
const sound = () =>
  historyOf(AT, [
    [spend(1_000, 'first'), AT],
    [spend(2_000, 'second'), LATER],
    [release(1_000, '2026-11', 'first'), LATER],
    [spend(500, 'third'), DECEMBER],
    [{ type: 'AmendMandate', changes: terms({ maxMonthlyCents: 1 }) }, DECEMBER],
  ]);

describe('The audit of a mandate', () => {
  it('finds nothing in what the runner wrote, and adds up its months', async () => {
    const events = await sound();
    const audit = await auditOf(events);
    expect(audit).to.include({ events: 7, firstAt: AT, lastAt: DECEMBER, headHash: hashOfLast(events) });
    expect(audit.findings).to.deep.equal([]);
    expect(Object.fromEntries(audit.periods)).to.deep.equal({
      '2026-11': { spentCents: 3_000, releasedCents: 1_000, netCents: 2_000, spends: 2, releases: 1 },
      '2026-12': { spentCents: 500, releasedCents: 0, netCents: 500, spends: 1, releases: 0 },
    });
    expect(audit.state).to.include({ period: '2026-12', spentCents: 500, spendCount: 1 });
  });

  it('tells of the moment that was asked for, and verifies the whole all the same', async () => {
    const events = await sound();
    const then = await auditOf(events, AT);
    expect(then.state).to.include({ period: '2026-11', spentCents: 1_000 });
    expect(Object.fromEntries(then.periods)).to.deep.equal({
      '2026-11': { spentCents: 1_000, releasedCents: 0, netCents: 1_000, spends: 1, releases: 0 },
    });
    expect(then.events).to.equal(7);
    const broken = events.map((event) =>
      event.revision === 5 ? withData(event, { amountCents: 1 }) : event,
    );
    expect((await auditOf(broken, AT)).findings).not.to.be.empty;
    expect((await auditOf(events, '2026-11-01T00:00:00.000Z')).state).to.deep.equal({ status: 'absent' });
  });

  it('of a stream that does not exist, or was deleted, finds that', async () => {
    const audit = await auditOf([]);
    expect(audit).to.deep.include({
      events: 0,
      firstAt: null,
      headHash: GENESIS,
      state: { status: 'absent' },
    });
    expect(audit.findings.map(({ problem }) => problem).join()).to.contain('no events');
  });

  it('goes on after what it cannot read, and names it', async () => {
    const events = await sound();
    const foreign = { ...jobFacts.started, version: 1 };
    for (const unreadable of [
      { type: 'NeverHeardOf' },
      { version: 99 },
      { data: {} },
      { at: 'then' },
      foreign,
    ]) {
      const audit = await auditOf(
        events.map((event) => (event.revision === 2 ? { ...event, ...unreadable } : event)),
      );
      expect(problemsAt(audit.findings, 2)).to.include(
        'it is no event of a mandate as the catalogue has them',
      );
      expect(audit.events).to.equal(7);
    }
  });

  it('goes on after half a character, which has no hash, and names it', async () => {
    const events = await sound();
    const audit = await auditOf(
      events.map((event) => (event.revision === 2 ? withData(event, { spendId: '\ud83d' }) : event)),
    );
    expect(problemsAt(audit.findings, 2)).to.include('it holds half a character, and so has no hash');
    expect(problemsAt(audit.findings, 3)).to.include('its predecessor is not the one it was written after');
    expect(audit.events).to.equal(7);
  });

  it('reports no more than can be read', async () => {
    const events = await sound();
    const many = Array.from({ length: 200 }, () => events).flat();
    expect((await auditOf(many)).findings).to.have.length(100);
  });
});

describe('A forger who chains the history anew is given away by what it claims', () => {
  const forgeries: Record<string, [(events: RecordedEvent[]) => RecordedEvent[], number, RegExp]> = {
    'a spend made smaller': [changed(1, { amountCents: 900 }), 1, /claims 1000 cents .* add up to 900/],
    'a spend and its total made smaller': [
      changed(1, { amountCents: 900, spentThisPeriodCents: 900 }),
      2,
      /claims 3000 cents .* add up to 2900/,
    ],
    'a spend taken out': [without(1), 1, /claims 3000 cents .* add up to 2000/],
    'a spend that was given back taken out with its sum': [without(1), 2, /no spend .* stands/],
    'a spend that stands twice': [twice(2), 3, /was made before/],
    'a spend counted in another month': [
      changed(2, { period: '2026-10' }),
      2,
      /counted in 2026-10 and belongs to 2026-11/,
    ],
    'a spend of another account': [
      changed(1, { accountId: 'acc_01kb3j5m8xe3vb0v6yq4s5t7wz' }),
      1,
      /another account/,
    ],
    'a spend above the cap': [
      changed(5, { amountCents: 90_000 }),
      5,
      /did not allow this spend \(transaction_cap\)/,
    ],
    'a spend after its mandate ended': [
      inserted(1, { type: 'MandateRevoked', data: { reason: 'lost' } }),
      2,
      /did not allow this spend \(mandate_revoked\)/,
    ],
    'a release of more than was spent': [changed(3, { amountCents: 2_000 }), 3, /other than 1000 cents/],
    'a release into another month': [
      changed(3, { period: '2026-10' }),
      3,
      /other than 1000 cents in 2026-11/,
    ],
    'a release for another job': [changed(3, { jobId: jobFacts.drafted.data.jobId }), 3, /another job/],
    'a release twice': [twice(3), 4, /no spend .* stands/],
    'a balance snapshot with other totals': [
      changed(4, { spentCents: 1 }),
      4,
      /claims 1 cents spent in 2026-12/,
    ],
    'a balance snapshot with another count': [changed(4, { spendCount: 1 }), 4, /carries another spendCount/],
    'a balance snapshot with other terms': [
      changed(4, { terms: terms({ maxMonthlyCents: 9 }) }),
      4,
      /carries another terms/,
    ],
    'a balance snapshot with another status': [
      changed(4, { status: 'suspended' }),
      4,
      /carries another status/,
    ],
    'a balance snapshot of another month': [changed(4, { period: '2027-01' }), 4, /carries another period/],
    'a balance snapshot that was made up': [
      inserted(3, { type: 'MandateBalanceCarried', data: carried({ period: '2026-11', spentCents: 0 }) }),
      3,
      /claims 0 cents spent in 2026-11/,
    ],
    'a second grant': [twice(0), 1, /was granted before/],
    'a beginning that is missing': [without(0), 0, /had not been granted/],
    'a resumption of what was not suspended': [
      inserted(3, { type: 'MandateResumed', data: {} }),
      3,
      /was active, which does not allow this/,
    ],
    'a time before the one before': [
      (events) => events.map((event) => (event.revision === 3 ? { ...event, at: AT } : event)),
      3,
      /its time is before/,
    ],
  };
  for (const [name, [forge, revision, problem]] of Object.entries(forgeries)) {
    it(`finds ${name}`, async () => {
      const { findings } = await auditOf(chainedAnew(numberedAnew(forge(await sound()))));
      expect(problemsAt(findings, revision).join('; ')).to.match(problem);
    });
  }

  it('finds a gap in the numbers, whatever is missing there', async () => {
    const { findings } = await auditOf(chainedAnew(without(3)(await sound())));
    expect(problemsAt(findings, 4)).to.include('revision 3 was expected here');
  });
});

type Forge = (events: RecordedEvent[]) => RecordedEvent[];

function changed(revision: number, data: object): Forge {
  return (events) => events.map((event) => (event.revision === revision ? withData(event, data) : event));
}

function without(revision: number): Forge {
  return (events) => events.filter((event) => event.revision !== revision);
}

function twice(revision: number): Forge {
  return (events) => events.flatMap((event) => (event.revision === revision ? [event, event] : [event]));
}

/** With one more event before that of this revision. */
function inserted(revision: number, fact: { readonly type: string; readonly data: object }): Forge {
  return (events) =>
    events.flatMap((event) =>
      event.revision === revision ? [{ ...event, version: 1, ...fact }, event] : [event],
    );
}

function withData(event: RecordedEvent, data: object): RecordedEvent {
  return { ...event, data: { ...event.data, ...data } };
}

function problemsAt(
  findings: readonly { readonly revision: number; readonly problem: string }[],
  revision: number,
) {
  return findings.filter((finding) => finding.revision === revision).map(({ problem }) => problem);
}

function hashOfLast(events: readonly RecordedEvent[]): string {
  const last = events.at(-1);
  if (last === undefined) throw new Error('there is no last event');
  return eventHash(last);
}

/** What the command runner keeps true of every stream that it writes. */
import { expect } from 'chai';
import { fold } from '../../commands/decider.ts';
import { SNAPSHOT_EVERY_EVENTS } from '../../commands/decider.ts';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import { denialDecider } from '../../commands/mandate/record-denial.ts';
import type { Occurred } from '../../events/event.ts';
import type { EventStore } from '../../events/event-store.ts';
import type { MandateFact } from '../../events/mandate-events.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { countingEventStore } from '../support/counting-event-store.ts';
import { readAll } from '../support/event-log.ts';
import { call, grantNew, soundAudit, spendMany, spendOf, tell } from '../support/run-commands.ts';
import { AT, keyId, release, spend } from '../support/sample-mandate.ts';

const LARGE = { maxMonthlyCents: 1_000_000 };
const daysAfter = (days: number): string => new Date(Date.parse(AT) + days * 86_400_000).toISOString();

const setUp = () => {
  const store = countingEventStore(memoryEventStore());
  return { store, runner: createCommandRunner(store) };
};

describe('Time in a stream', () => {
  it('never runs backwards, whatever the clock does', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner);
    const clock = [daysAfter(1), AT, daysAfter(40), daysAfter(2), daysAfter(41), daysAfter(-400)];
    for (const at of clock) await tell(runner, mandateId, spendOf(1), { at });
    const times = (await readAll(store, `mandate-${mandateId}`)).map(({ at }) => at);
    expect(times).to.deep.equal(times.toSorted());
    await soundAudit(store, mandateId);
  });

  it('going backwards does not open an earlier month again, also for a runner that starts then', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner, { maxMonthlyCents: 100 });
    await tell(runner, mandateId, spendOf(100), { at: '2026-12-01T00:00:00.000Z' });
    for (const each of [runner, createCommandRunner(store)]) {
      const outcome = await tell(each, mandateId, spendOf(1), { at: '2026-11-30T23:59:59.999Z' });
      expect(outcome).to.have.nested.property('rejection.violations[0].reason', 'monthly_cap');
    }
  });
});

describe('A stream that remembers more commands than the cache holds', () => {
  it('is not read anew for each of them', async () => {
    const store = countingEventStore(memoryEventStore());
    const runner = createCommandRunner(store, 40);
    const mandateId = await grantNew(runner, LARGE);
    for (let i = 0; i < 100; i += 1) await tell(runner, mandateId, spendOf(1));
    expect(store.eventsRead()).to.equal(0);
  });
});

describe('The state of a stream as it was', () => {
  it('is read from its last snapshot on, however many commands the last day has', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner, LARGE);
    await spendMany(runner, mandateId, 4 * SNAPSHOT_EVERY_EVENTS, 1);
    const { state, revision } = await runner.load(mandateDecider, mandateId, AT);
    const before = store.eventsRead();
    const then = await createCommandRunner(store).loadAt(mandateDecider, mandateId, revision, AT);
    expect(then).to.deep.equal(state);
    expect(store.eventsRead() - before).to.be.at.most(SNAPSHOT_EVERY_EVENTS + 1);
  });
});

describe('A chained stream', () => {
  it('is a chain also through batches, snapshots, new months, restarts and a second runner', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner, LARGE);
    await spendMany(runner, mandateId, SNAPSHOT_EVERY_EVENTS, 1);
    await tell(createCommandRunner(store), mandateId, spendOf(1), { at: daysAfter(10) });
    await tell(runner, mandateId, { type: 'SuspendMandate', reason: 'a look' }, { at: daysAfter(11) });
    const { events, headHash } = await soundAudit(store, mandateId);
    expect(events).to.equal(SNAPSHOT_EVERY_EVENTS + 5);
    const all = await readAll(store, `mandate-${mandateId}`);
    expect(all.filter(({ type }) => type === 'MandateBalanceCarried')).to.have.length(1);
    expect(all.map(({ meta }) => meta.prev)).not.to.include(headHash);
  });
});

describe('Loading a stream', () => {
  it('reads back to the last snapshot, however long the stream is', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner, LARGE);
    for (const days of [0, 2, 4, 6]) await spendMany(runner, mandateId, 800, 1, { at: daysAfter(days) });
    const readBefore = store.eventsRead();
    const { state } = await createCommandRunner(store).load(mandateDecider, mandateId, daysAfter(30));
    expect(store.eventsRead() - readBefore).to.be.at.most(SNAPSHOT_EVERY_EVENTS + 2);
    expect(state).to.deep.equal(await foldedFromTheStart(store, mandateId));
  });

  it('reads back through the last day where more than a snapshot lies within it', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner, LARGE);
    const once = { commandId: 'once', at: daysAfter(1) };
    await tell(runner, mandateId, spendOf(1), once);
    await spendMany(runner, mandateId, SNAPSHOT_EVERY_EVENTS, 1, { at: daysAfter(1) });
    const outcome = await tell(createCommandRunner(store), mandateId, spendOf(1), {
      ...once,
      at: daysAfter(2),
    });
    expect(outcome.kind).to.equal('replayed');
  });

  it('that is cached reads nothing but what is new', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner);
    await spendMany(runner, mandateId, 10, 1);
    const elsewhere = createCommandRunner(store);
    await elsewhere.load(mandateDecider, mandateId, AT);
    await tell(runner, mandateId, spendOf(1));
    const readBefore = store.eventsRead();
    await elsewhere.load(mandateDecider, mandateId, AT);
    expect(store.eventsRead() - readBefore).to.equal(1);
    await elsewhere.load(mandateDecider, mandateId, AT);
    expect(store.eventsRead() - readBefore).to.equal(1);
  });

  it('as it was at any revision gives what its events up to there add up to', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner, LARGE);
    for (const days of [0, 1, 5, 40, 41]) await tell(runner, mandateId, spendOf(10), { at: daysAfter(days) });
    const events = await readAll(store, `mandate-${mandateId}`);
    for (const { revision } of events) {
      const then = await runner.loadAt(mandateDecider, mandateId, revision, daysAfter(50));
      expect(then).to.deep.equal(await foldedFromTheStart(store, mandateId, revision));
    }
  });

  it('of denials reads one event, however many there are, for nothing is decided upon them', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner);
    const denial = {
      mandateId,
      keyId,
      amountCents: 1,
      action: 'trial:create',
      payee: { agency: 'ledgerworks', agent: 'invoice-matcher' },
      reasons: ['monthly_cap' as const],
    };
    const record = (each = runner) =>
      each.run(denialDecider, mandateId, { type: 'RecordDenial', denial }, call({ commandId: 'the same' }));
    for (let n = 0; n < 50; n += 1) await record();
    const readBefore = store.eventsRead();
    expect((await record(createCommandRunner(store))).kind).to.equal('accepted');
    expect(store.eventsRead() - readBefore).to.equal(1);
    expect(await readAll(store, `denials-${mandateId}`)).to.have.length(51);
  });
});

describe('A release of a spend that is older than a day', () => {
  it('happens once, whoever asks again: the runner remembers back to the spend', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner, LARGE);
    await tell(runner, mandateId, spend(100, 'the spend'));
    const releasing = { commandId: 'release:the spend', remembersFrom: 1 };
    const giveBack = release(100, '2026-11', 'the spend');
    for (const [days, kind] of [
      [1, 'accepted'],
      [1, 'replayed'],
      [3, 'replayed'],
      [40, 'replayed'],
    ] as const) {
      for (let n = 0; n < 3; n += 1) await tell(runner, mandateId, spendOf(1), { at: daysAfter(days) });
      for (const [index, each] of [runner, createCommandRunner(store)].entries()) {
        const outcome = await tell(each, mandateId, giveBack, { ...releasing, at: daysAfter(days) });
        expect(outcome.kind).to.equal(index === 0 ? kind : 'replayed');
      }
    }
    const { periods } = await soundAudit(store, mandateId);
    expect(periods.get('2026-11')).to.include({ releases: 1, releasedCents: 100 });
  });

  it('reads the log back once, not again for each of many spends', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner, LARGE);
    for (let n = 0; n < 50; n += 1) await tell(runner, mandateId, spend(1, `spend ${n}`));
    const readBefore = store.eventsRead();
    for (let n = 0; n < 50; n += 1) {
      const asking = { commandId: `release:${n}`, remembersFrom: n + 1, at: daysAfter(3) };
      await tell(runner, mandateId, release(1, '2026-11', `spend ${n}`), asking);
    }
    expect(store.eventsRead() - readBefore).to.equal(0);
    for (const each of [runner, createCommandRunner(store)]) {
      const again = { commandId: 'release:7', remembersFrom: 8, at: daysAfter(3) };
      expect((await tell(each, mandateId, release(1, '2026-11', 'spend 7'), again)).kind).to.equal(
        'replayed',
      );
    }
  });
});

async function foldedFromTheStart(store: EventStore, mandateId: string, upTo = Infinity): Promise<unknown> {
  const events = await readAll(store, `mandate-${mandateId}`);
  const history = events.filter(({ revision }) => revision <= upTo);
  // A mandate's stream holds nothing but mandate events.
  return fold(mandateDecider, history as unknown as Occurred<MandateFact>[]);
}

/** A job that follows from a spend: committed with it where the log can, and never without it. */
import { expect } from 'chai';
import { jobDecider } from '../../commands/job/job.ts';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import { type EventStore, NO_STREAM, StoreUnavailable } from '../../events/event-store.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { draftJob, draftWith, spentIn } from '../../src/operations/jobs/draft-job.ts';
import { type CommandRunner, createCommandRunner } from '../../src/commanding/command-runner.ts';
import { readAll } from '../support/event-log.ts';
import { embeddedLogs, type LogPlace } from '../support/event-logs.ts';
import { faultyEventStore } from '../support/faulty-event-store.ts';
import { newEvent } from '../support/new-event.ts';
import { rejectionOf } from '../support/rejection.ts';
import { call, grantNew, type MandateOutcome, soundAudit } from '../support/run-commands.ts';
import { order, spend } from '../support/sample-mandate.ts';

/** A spend with the job that follows from it. */
function buy(
  runner: CommandRunner,
  mandateId: string,
  name: string,
  amountCents = 100,
): Promise<MandateOutcome> {
  const wish = spend(amountCents, name, { order: order(name) });
  const ofSpend = call({ commandId: name });
  return runner.run(mandateDecider, mandateId, wish, ofSpend, (events) => draftWith(spentIn(events)));
}

const jobStream = (name: string): string => `job-${order(name).jobId}`;
const typesIn = async (store: EventStore, streamId: string): Promise<string[]> =>
  (await readAll(store, streamId)).map(({ type }) => type);

for (const [engine, open] of Object.entries(embeddedLogs)) {
  describe(`What follows from a command: ${engine}`, () => {
    let place: LogPlace;
    let store: EventStore;
    let runner: CommandRunner;
    let mandateId: string;
    beforeEach(async () => {
      place = await open();
      store = await place.connect();
      runner = createCommandRunner(store);
      mandateId = await grantNew(runner, { maxMonthlyCents: 1_000 });
    });
    afterEach(() => place.dispose());

    it('is in the log right behind it, caused by it, and known to the runner', async () => {
      const outcome = await buy(runner, mandateId, 'one');
      expect(outcome).to.include({ kind: 'accepted', hasDependent: true });

      const [drafted] = await readAll(store, jobStream('one'));
      const spent = (await readAll(store, `mandate-${mandateId}`)).at(-1);
      expect(drafted).to.deep.include({ type: 'TrialDrafted', at: spent?.at });
      expect(drafted?.meta.causationId).to.equal(spent?.id);
      expect(Number(drafted?.position)).to.equal(Number(spent?.position) + 1);
      expect(runner.knownRevision(jobStream('one'))).to.equal(0);
    });

    it('is the job that the reaction would draft, which finds it there', async () => {
      const outcome = await buy(runner, mandateId, 'one');
      if (outcome.kind !== 'accepted') throw new Error(outcome.kind);
      const elsewhere = createCommandRunner(await place.connect());
      await draftJob({ commands: elsewhere }, spentIn(outcome.events), 'reaction:the test');
      expect(await typesIn(store, jobStream('one'))).to.deep.equal(['TrialDrafted']);
    });

    it('takes the next command to its stream right after it', async () => {
      await buy(runner, mandateId, 'one');
      const { jobId } = order('one');
      const cancelled = await runner.run(jobDecider, jobId, { type: 'CancelJob' }, call());
      expect(cancelled).to.include({ kind: 'accepted', revision: 1 });
    });

    it('follows each of many at once, and none that is refused', async () => {
      const names = Array.from({ length: 15 }, (_, i) => `spend ${i}`);
      const outcomes = await Promise.all(names.map((name) => buy(runner, mandateId, name)));
      for (const [i, outcome] of outcomes.entries()) {
        expect(outcome.kind).to.equal(i < 10 ? 'accepted' : 'rejected');
        expect(await typesIn(store, jobStream(`spend ${i}`))).to.have.length(i < 10 ? 1 : 0);
      }
      expect((await soundAudit(store, mandateId)).findings).to.deep.equal([]);
    });

    it('does not follow once more when the same command comes again', async () => {
      await buy(runner, mandateId, 'one');
      for (const each of [runner, createCommandRunner(await place.connect())]) {
        expect((await buy(each, mandateId, 'one')).kind).to.equal('replayed');
      }
      expect(await typesIn(store, jobStream('one'))).to.deep.equal(['TrialDrafted']);
    });

    it('follows what was decided in the end where somebody else wrote first', async () => {
      const elsewhere = createCommandRunner(await place.connect());
      await buy(runner, mandateId, 'one', 500);
      await buy(elsewhere, mandateId, 'two', 400);

      expect(await buy(runner, mandateId, 'three')).to.include({ kind: 'accepted', hasDependent: true });
      // As far as it knew, there was room.
      expect((await buy(elsewhere, mandateId, 'too much')).kind).to.equal('rejected');
      expect(await typesIn(store, jobStream('too much'))).to.deep.equal([]);
      const spent = (await readAll(store, `mandate-${mandateId}`)).at(-1);
      expect((await readAll(store, jobStream('three')))[0]?.meta.causationId).to.equal(spent?.id);
    });

    it('is left to the caller where it cannot be decided, and those beside it have theirs', async () => {
      const broken = (): never => {
        throw new Error('a bug');
      };
      const [first, second, third] = await Promise.all([
        buy(runner, mandateId, 'one'),
        runner.run(mandateDecider, mandateId, spend(100, 'two', { order: order('two') }), call(), broken),
        buy(runner, mandateId, 'three'),
      ]);
      expect(first).to.include({ kind: 'accepted', hasDependent: true });
      expect(second).to.include({ kind: 'accepted', hasDependent: false });
      expect(third).to.include({ kind: 'accepted', hasDependent: true });
      expect(await typesIn(store, jobStream('two'))).to.deep.equal([]);
    });

    it('is left to the caller where its stream has begun already: the spend stands', async () => {
      await store.append(jobStream('one'), NO_STREAM, [newEvent()]);
      expect(await buy(runner, mandateId, 'one')).to.include({ kind: 'accepted', hasDependent: false });
      expect(await typesIn(store, jobStream('one'))).to.deep.equal(['Happened']);
    });
  });
}

describe('What follows from a command, on a log that', () => {
  for (const fault of ['lose', 'write silently'] as const) {
    it(`stays silent (${fault}) is there once when it answers`, async () => {
      const store = faultyEventStore(memoryEventStore(), { commitsDependents: true });
      const runner = createCommandRunner(store);
      const mandateId = await grantNew(runner);
      store.plan(fault, fault);
      expect(await buy(runner, mandateId, 'one')).to.include({ kind: 'accepted', hasDependent: true });
      expect(await typesIn(store, jobStream('one'))).to.deep.equal(['TrialDrafted']);
      expect(await typesIn(store, `mandate-${mandateId}`)).to.deep.equal(['MandateGranted', 'MandateSpent']);
    });
  }

  it('refuses is not there either', async () => {
    const store = faultyEventStore(memoryEventStore(), { commitsDependents: true });
    const runner = createCommandRunner(store);
    const mandateId = await grantNew(runner);
    store.plan('refuse');
    expect(await rejectionOf(buy(runner, mandateId, 'one'))).to.be.instanceOf(StoreUnavailable);
    expect(await typesIn(store, jobStream('one'))).to.deep.equal([]);
    expect(await typesIn(store, `mandate-${mandateId}`)).to.deep.equal(['MandateGranted']);
  });

  it('commits one stream at a time is left to the caller', async () => {
    const store = faultyEventStore(memoryEventStore());
    const runner = createCommandRunner(store);
    const mandateId = await grantNew(runner);
    expect(await buy(runner, mandateId, 'one')).to.include({ kind: 'accepted', hasDependent: false });
    expect(await typesIn(store, jobStream('one'))).to.deep.equal([]);
  });
});

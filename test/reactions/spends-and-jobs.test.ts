/** Every spend has its job and every ended draft gives its spend back, once, whoever gets there first. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { jobDecider } from '../../commands/job/job.ts';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import type { TrialOrder } from '../../events/mandate-events.ts';
import { idFrom } from '../../events/ids.ts';
import type { EventStore } from '../../events/event-store.ts';
import { memoryCheckpoints } from '../contract/memory/checkpoints.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { draftJob, type SpentEvent } from '../../src/operations/jobs/draft-job.ts';
import { releaseSpendOf } from '../../src/operations/jobs/release-spend-of.ts';
import { whenJobEndedReleaseSpend } from '../../src/reactions/when-job-ended-release-spend.ts';
import { whenMandateSpentCreateTrial } from '../../src/reactions/when-mandate-spent-create-trial.ts';
import { type CommandRunner, createCommandRunner } from '../../src/commanding/command-runner.ts';
import { type Reactor, startReactor } from '../../src/background/reactor.ts';
import { readAll } from '../support/event-log.ts';
import { REMEMBERED_EVENTS } from '../../src/commanding/stream-fold.ts';
import { call, grantNew, soundAudit, spendOf, tell } from '../support/run-commands.ts';
import { AT, order, orderText, spend } from '../support/sample-mandate.ts';
import { countingEventStore } from '../support/counting-event-store.ts';
import { sharedLog } from '../../src/following/shared-log.ts';
import { until } from '../support/until.ts';

const isSkipped = async (): Promise<boolean> => false;

describe('A spend and its job', () => {
  let events: EventStore;
  let commands: CommandRunner;
  let reactors: Reactor[];
  let errors: unknown[];
  beforeEach(() => {
    events = memoryEventStore();
    commands = createCommandRunner(events);
    reactors = [];
    errors = [];
  });
  afterEach(async () => {
    await Promise.all(reactors.map((reactor) => reactor.stop()));
    expect(errors).to.deep.equal([]);
  });

  /** Another process: its own runner and its own reactor, which remembers nothing. */
  function startReactions(runner: CommandRunner = createCommandRunner(events)): void {
    const reactions = [
      whenMandateSpentCreateTrial({ commands: runner, events, hasBegun: () => false }),
      whenJobEndedReleaseSpend({ commands: runner }),
    ];
    const onError = (_name: string, error: unknown): void => void errors.push(error);
    reactors.push(startReactor({ events, checkpoints: memoryCheckpoints(), reactions, isSkipped, onError }));
  }

  async function settled(): Promise<void> {
    await until('the reactions have reached the end of the log', async () => {
      const head = await events.head();
      return reactors.every((reactor) => reactor.status().every(({ checkpoint }) => checkpoint === head));
    });
  }

  async function spendOn(wished: TrialOrder, mandateId: string): Promise<SpentEvent> {
    const wish = spend(1_900, 'x', { spendId: idFrom('spend', AT, randomUUID()), order: wished });
    const outcome = await tell(commands, mandateId, wish);
    const spent = 'events' in outcome ? outcome.events.at(-1) : undefined;
    if (spent?.type !== 'MandateSpent') throw new Error('the spend was not accepted');
    // Its type says so.
    return spent as SpentEvent;
  }

  async function typesIn(stream: string): Promise<string[]> {
    return (await readAll(events, stream)).map(({ type }) => type);
  }

  it('a spend whose process died before it made the job gets its job, with all that was ordered', async () => {
    const mandateId = await grantNew(commands);
    const wished = order(randomUUID(), {
      text: orderText({ inputs: { month: '2026-10' }, metadata: { costCentre: 'FIN-7' } }),
    });
    const spent = await spendOn(wished, mandateId);
    startReactions();
    await settled();
    const { state: job } = await commands.load(jobDecider, wished.jobId, AT);
    const { spendId } = spent.data;
    expect(job).to.deep.include({ status: 'draft' });
    const [drafted] = await readAll(events, `job-${wished.jobId}`);
    expect(drafted)
      .to.have.property('data')
      .that.deep.includes({
        ...wished,
        amountCents: 1_900,
        spend: { mandateId, spendId, revision: 1, period: '2026-11' },
        fundingExpiresAt: '2026-11-28T09:30:00.000Z',
      });
  });

  it('a job that its request and two reactors make at the same time is made once', async () => {
    const mandateId = await grantNew(commands, { maxMonthlyCents: 100_000 });
    startReactions();
    startReactions(commands);
    const jobs = Array.from({ length: 20 }, () => order(randomUUID()));
    await Promise.all(
      jobs.map(async (wished) => draftJob({ commands }, await spendOn(wished, mandateId), 'key:1')),
    );
    await settled();
    for (const { jobId } of jobs) expect(await typesIn(`job-${jobId}`)).to.deep.equal(['TrialDrafted']);
  });

  it('a spend is left to its request for longer where the job is an append of its own', () => {
    const services = { commands, hasBegun: () => false };
    const apart = { ...events };
    delete apart.appendAll;
    const [together, alone] = [events, apart].map((store) =>
      whenMandateSpentCreateTrial({ ...services, events: store }),
    );
    expect(alone?.leaveMs).to.be.greaterThan(together?.leaveMs ?? Infinity);
  });

  it('a job that this process follows already is not looked for in the log', async () => {
    const log = countingEventStore(events);
    const shared = sharedLog(log, ['MandateSpent', 'TrialDrafted']);
    const { hasBegun } = shared;
    const reaction = whenMandateSpentCreateTrial({ commands: createCommandRunner(log), events, hasBegun });
    const onError = (_name: string, error: unknown): void => void errors.push(error);
    const mandateId = await grantNew(commands);
    const drafts = { ...reaction, name: 'when-trial-drafted-do-nothing', types: ['TrialDrafted'] as const };
    const reactions = [reaction, { ...drafts, react: async () => {} }];
    reactors.push(
      startReactor({ events: shared, checkpoints: memoryCheckpoints(), reactions, isSkipped, onError }),
    );
    await settled();
    for (const wished of [order(randomUUID()), order(randomUUID())]) {
      await draftJob({ commands }, await spendOn(wished, mandateId), 'key:1');
      await until('this process has seen the job', () => hasBegun(`job-${wished.jobId}`));
      await settled();
    }
    expect(log.eventsRead()).to.equal(0);
  });

  it('a reaction that happens again makes no second job, however far the job has come', async () => {
    const mandateId = await grantNew(commands);
    const wished = order(randomUUID());
    const spent = await spendOn(wished, mandateId);
    await draftJob({ commands }, spent, 'key:1');
    await commands.run(jobDecider, wished.jobId, { type: 'CancelJob' }, call());
    startReactions();
    await settled();
    expect(await typesIn(`job-${wished.jobId}`)).to.deep.equal(['TrialDrafted', 'JobCancelled']);
  });

  it('a draft that was cancelled gives its spend back once, though its request and two reactors all do so', async () => {
    const mandateId = await grantNew(commands, { maxMonthlyCents: 1_900 });
    const wished = order(randomUUID());
    await draftJob({ commands }, await spendOn(wished, mandateId), 'key:1');
    startReactions();
    startReactions(commands);
    await commands.run(jobDecider, wished.jobId, { type: 'CancelJob' }, call());
    await releaseSpendOf({ commands }, wished.jobId, 'job_cancelled', call());
    await settled();
    startReactions();
    await settled();
    const { periods } = await soundAudit(events, mandateId);
    expect(periods.get('2026-11')).to.include({ spends: 1, releases: 1, netCents: 0 });
    await spendOn(order(randomUUID()), mandateId);
  });

  it('a spend that was given back is given back no second time, however long ago and however much came since', async () => {
    const mandateId = await grantNew(commands);
    const wished = order(randomUUID());
    await draftJob({ commands }, await spendOn(wished, mandateId), 'key:1');
    await commands.run(jobDecider, wished.jobId, { type: 'CancelJob' }, call());
    await releaseSpendOf({ commands }, wished.jobId, 'job_cancelled', call());
    // Enough to close the books of the month, and to be out of the memory of commands by number and by time.
    for (let n = 0; n <= REMEMBERED_EVENTS; n += 1)
      await commands.run(mandateDecider, mandateId, spendOf(1), call({ at: '2026-12-02T00:00:00.000Z' }));
    const later = call({ at: '2026-12-05T00:00:00.000Z' });
    await releaseSpendOf({ commands: createCommandRunner(events) }, wished.jobId, 'job_cancelled', later);
    const types = await typesIn(`mandate-${mandateId}`);
    expect(types.filter((type) => type === 'SpendReleased')).to.have.length(1);
    await soundAudit(events, mandateId);
  });

  it('a draft that expired gives its spend back by the reaction alone, with its reason', async () => {
    const mandateId = await grantNew(commands);
    const wished = order(randomUUID());
    await draftJob({ commands }, await spendOn(wished, mandateId), 'key:1');
    await commands.run(
      jobDecider,
      wished.jobId,
      { type: 'ExpireJob' },
      call({ at: '2026-12-01T00:00:00.000Z' }),
    );
    startReactions();
    await settled();
    const released = (await readAll(events, `mandate-${mandateId}`)).at(-1);
    expect(released).to.have.deep.nested.include({ type: 'SpendReleased', 'data.reason': 'job_expired' });
    expect(released).to.have.nested.property('data.period', '2026-11');
    await soundAudit(events, mandateId);
  });
});

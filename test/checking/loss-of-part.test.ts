/** A loss that left more than the log's events, or less than a job: told to the operator, and nothing given back twice. */
import { expect } from 'chai';
import { jobDecider } from '../../commands/job/job.ts';
import { NO_STREAM } from '../../events/event-store.ts';
import { openEventStoreDb } from '../../infra/eventstoredb/event-store.ts';
import { toText } from '../../infra/eventstoredb/position.ts';
import { memoryCheckpoints } from '../contract/memory/checkpoints.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { createMemoryQueue } from '../contract/memory/queue.ts';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import { draftedJob, jobsProjection } from '../../projections/jobs.ts';
import { acceptLoss, findLoss, type LossParts } from '../../src/checking/accept-loss.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { draftJob, draftOf, spentIn } from '../../src/operations/jobs/draft-job.ts';
import { indexedDocument } from '../../src/projecting/document-buffer.ts';
import { whenJobEndedReleaseSpend } from '../../src/reactions/when-job-ended-release-spend.ts';
import { decodeEvent } from '../../events/catalog.ts';
import { append, readAll } from '../support/event-log.ts';
import { startEventStoreDouble } from '../support/eventstoredb/double.ts';
import { systemEvent } from '../support/eventstoredb/ledger.ts';
import { newEvents, newStream } from '../support/new-event.ts';
import { call, grantNew, netCents, spendOf, tell } from '../support/run-commands.ts';
import { AT } from '../support/sample-mandate.ts';

const CAUSE = { at: AT, actor: 'cli', requestId: 'req-1' };
const REACTION = 'when-x-then-y';
const CENTS = 1_000;

function partsOf(kept: Pick<LossParts, 'events' | 'checkpoints'>): LossParts {
  const others = { views: memoryViewStore(), queue: createMemoryQueue() };
  return { ...kept, ...others, followers: async () => [], reactions: [REACTION], onProgress: () => {} };
}

describe('A reaction whose checkpoint stands beyond the end of the log that it is kept with', () => {
  it('is named as a loss, recorded, and goes on from the end', async () => {
    const events = memoryEventStore();
    await append(events, newStream(), NO_STREAM, newEvents(3));
    const checkpoints = memoryCheckpoints();
    await checkpoints.set(REACTION, '0000000000000005');
    const parts = partsOf({ events, checkpoints });
    const loss = await findLoss(parts);
    expect(loss?.differences.map(({ follower }) => follower.name)).to.deep.equal([
      `the reaction ${REACTION}`,
    ]);
    expect(loss?.differences[0]?.problem).to.include('it was not restored whole');
    if (loss === null) throw new Error('nothing was lost');
    const { followers } = await acceptLoss(parts, loss, 'Restored from two backups.', CAUSE);
    expect(followers).to.deep.equal([
      { name: `the reaction ${REACTION}`, kind: 'shorter', position: '0000000000000005', at: null },
    ]);
    expect(await checkpoints.get(REACTION)).to.equal(await events.head());
    expect(await findLoss(parts)).to.equal(null);
  });

  it('is told in EventStoreDB from one that stands behind events of others', async () => {
    const double = await startEventStoreDouble();
    const { store, checkpoints, close } = await openEventStoreDb({ url: double.url, prefix: 'loss.' });
    await append(store, newStream(), NO_STREAM, newEvents(3));
    double.ledger.store('others-1', [systemEvent('TheirsHappened', {})]);
    const end = BigInt(double.ledger.lastPosition());
    const parts = partsOf({ events: store, checkpoints });
    await checkpoints.set(REACTION, toText({ commit: end, prepare: end }));
    expect(await findLoss(parts)).to.equal(null);

    const beyond = end * 1_000n;
    await checkpoints.set(REACTION, toText({ commit: beyond, prepare: beyond }));
    const loss = await findLoss(parts);
    expect(loss?.differences).to.have.lengthOf(1);
    await close();
    await double.stop();
  });
});

describe('A job that was paid for, and is a draft again after a loss', () => {
  it('is named so, and gives its spend back exactly once when it expires', async () => {
    const events = memoryEventStore();
    const commands = createCommandRunner(events);
    const mandateId = await grantNew(commands, { maxMonthlyCents: CENTS });
    const outcome = await tell(commands, mandateId, spendOf(CENTS));
    if (!('events' in outcome)) throw new Error('it was not spent');
    const spent = spentIn(outcome.events);
    await draftJob({ commands }, spent, 'key:test');
    const { jobId } = spent.data.order;

    // The view has seen its payment, which the log has lost.
    const views = memoryViewStore();
    await views.open([jobsProjection]);
    await views.beginLive([jobsProjection]);
    const [generation] = await views.status();
    const head = await events.head();
    const seen = '0000000000000009';
    const mark = await events.marks.at(head ?? '');
    if (generation === undefined || mark === null) throw new Error('nothing was prepared');
    const job = { ...draftedJob(draftOf(spent), spent.at), status: 'funded' as const, revision: 1 };
    const document = indexedDocument(jobsProjection, job, null);
    const place = { view: jobsProjection.name, generation: generation.generation };
    const lostMark = { ...mark, position: seen };
    const writes = [{ key: jobId, position: seen, document }];
    await views.commit([{ ...place, from: null, to: seen, writes, mark: lostMark }]);
    const follower = { name: 'the view jobs', position: seen, mark: lostMark };
    let isAccepted = false;
    const parts: LossParts = {
      ...partsOf({ events, checkpoints: memoryCheckpoints() }),
      views,
      followers: async () => (isAccepted ? [] : [follower]),
    };
    const loss = await findLoss(parts);
    expect(loss?.spends).to.deep.equal([]);
    expect(loss?.jobs).to.deep.equal([{ id: jobId, status: 'funded', isDraftAgain: true }]);
    if (loss === null) throw new Error('nothing was lost');
    isAccepted = true;
    await acceptLoss(parts, loss, 'The disk is gone.', CAUSE);
    expect(await netCents(events, mandateId), 'it counts until then').to.equal(CENTS);

    const expired = await commands.run(
      jobDecider,
      jobId,
      { type: 'ExpireJob' },
      call({ at: '2099-01-01T00:00:00.000Z' }),
    );
    expect(expired.kind).to.equal('accepted');
    const [end] = (await readAll(events, `job-${jobId}`)).slice(-1).map(decodeEvent);
    if (end === undefined) throw new Error('it has not ended');
    const { react } = whenJobEndedReleaseSpend({ commands });
    await react(end);
    await react(end);
    expect(await netCents(events, mandateId)).to.equal(0);
    const releases = (await readAll(events, `mandate-${mandateId}`)).filter(
      ({ type }) => type === 'SpendReleased',
    );
    expect(releases).to.have.lengthOf(1);
  });
});

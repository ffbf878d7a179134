/** Accepting a loss: what followers know is used, recorded and dropped, also when it dies between any two writes. */
import { expect } from 'chai';
import { decodeEvent } from '../../events/catalog.ts';
import type { Checkpoints } from '../../events/checkpoints.ts';
import { type EventStore, NO_STREAM, StoreUnavailable } from '../../events/event-store.ts';
import { jobEvents } from '../../events/job-events.ts';
import type { LogMark } from '../../events/log-mark.ts';
import { memoryCheckpoints } from '../../infra/memory/checkpoints.ts';
import { memoryEventStore } from '../../infra/memory/event-store.ts';
import { createMemoryQueue } from '../../infra/memory/queue.ts';
import { memoryViewStore } from '../../infra/memory/view-store.ts';
import { draftedJob, jobsProjection } from '../../projections/jobs.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import { acceptLoss, assertLossAccepted, findLoss, type LossParts } from '../../src/checking/accept-loss.ts';
import type { LogFollower } from '../../src/checking/compare-followers.ts';
import { HEAD_FILE } from '../../src/checking/followers-of.ts';
import type { Queue } from '../../src/ports/queue.ts';
import { createCommandRunner } from '../../src/runners/command-runner.ts';
import { indexedDocument } from '../../src/runners/workspace.ts';
import { auditMandate } from '../../src/audit/audit-mandate.ts';
import { rejectionOf } from '../support/rejection.ts';
import { grantNew, spendOf, tell } from '../support/run-commands.ts';
import { AT } from '../support/sample-mandate.ts';

const SPENDS = 6;
const KEPT = 3;
const CENTS = 1_000;
const CAUSE = { at: AT, actor: 'cli', requestId: 'req-1' };

interface World {
  readonly parts: LossParts;
  readonly mandateId: string;
  readonly log: EventStore;
  readonly views: ViewStore;
  readonly queue: Queue;
  readonly checkpoints: Checkpoints;
}

describe('Accepting a loss', () => {
  /** A log of six spends, of which three are left; the view of jobs knows all six. */
  async function lossy(dies: (write: string) => void = () => {}): Promise<World> {
    const whole = memoryEventStore();
    const runner = createCommandRunner(whole);
    const mandateId = await grantNew(runner, { maxMonthlyCents: SPENDS * CENTS });
    for (let made = 0; made < SPENDS; made += 1) await tell(runner, mandateId, spendOf(CENTS));

    const memory = memoryEventStore();
    await memory.marks.adopt(whole.marks.logId() ?? '');
    const views = memoryViewStore();
    await views.open([jobsProjection]);
    await views.beginLive([jobsProjection]);
    const [generation] = await views.status();
    const mark = await whole.marks.at((await whole.head()) ?? '');
    if (generation === undefined || mark === null) throw new Error('nothing was prepared');
    const writes = [];
    let count = 0;
    for await (const event of whole.read(`mandate-${mandateId}`)) {
      const { id, type, version, at, data, meta, revision, position } = event;
      if (revision <= KEPT)
        await memory.append(event.streamId, revision === 0 ? NO_STREAM : revision - 1, [
          { id, type, version, at, data, meta },
        ]);
      const { type: kind, data: spent } = decodeEvent(event);
      if (kind !== 'MandateSpent') continue;
      const { jobId } = spent.order;
      const { example } = jobEvents[0];
      const draft = { ...example, jobId, amountCents: CENTS, spend: { mandateId, spendId: spent.spendId } };
      const job = draftedJob({ ...example, ...draft, spend: { ...example.spend, ...draft.spend } }, at);
      // The last of them came to nothing.
      count += 1;
      const status = count === SPENDS ? ('cancelled' as const) : job.status;
      const document = indexedDocument(jobsProjection, { ...job, status }, null);
      writes.push({ key: jobId, position, document });
    }
    const place = { view: jobsProjection.name, generation: generation.generation };
    await views.commit([{ ...place, from: null, to: mark.position, writes, mark }]);

    const queue = createMemoryQueue();
    const checkpoints = memoryCheckpoints();
    await checkpoints.set('when-x-then-y', mark.position);
    await queue.keepMark(mark);
    const log: EventStore = {
      ...memory,
      append: async (...append) => {
        dies('before an append');
        const result = await memory.append(...append);
        dies('after an append');
        return result;
      },
    };
    const parts: LossParts = {
      events: log,
      checkpoints: {
        get: (name) => checkpoints.get(name),
        set: async (...kept) => {
          dies('before a checkpoint');
          await checkpoints.set(...kept);
        },
      },
      views: {
        ...views,
        async forgetAll() {
          dies('before the views go');
          await views.forgetAll();
        },
      },
      queue: {
        ...queue,
        async keepMark(kept) {
          dies('before the queue is told');
          await queue.keepMark(kept);
        },
      },
      followers: async () => {
        const queued = await queue.mark();
        const kept = (await views.marks()).map((one) => ({
          name: one.view,
          position: one.checkpoint,
          mark: one.mark,
        }));
        return [...kept, { name: 'the queue', position: queued?.position ?? null, mark: queued }];
      },
      reactions: ['when-x-then-y'],
      onProgress: () => {},
    };
    return { parts, mandateId, log: memory, views, queue, checkpoints };
  }
  async function accept({ parts }: World) {
    const loss = await findLoss(parts);
    return loss === null ? null : acceptLoss(parts, loss, 'The disk is gone.', CAUSE);
  }
  async function isPutRight(world: World): Promise<void> {
    const { log, mandateId, parts, checkpoints, views } = world;
    await assertLossAccepted(checkpoints);
    expect(await findLoss(parts), 'what is still lost').to.equal(null);
    expect(await views.status()).to.deep.equal([]);
    const checkpoint = (await checkpoints.get('when-x-then-y')) ?? '';
    expect(checkpoint <= ((await log.head()) ?? ''), 'a checkpoint within the log').to.equal(true);
    const recorded = [];
    for await (const event of log.read('log-losses')) recorded.push(decodeEvent(event));
    expect(recorded).to.have.lengthOf(1);
    expect(recorded[0]?.data).to.deep.include({
      reason: 'The disk is gone.',
      spends: 2,
      amountCents: 2 * CENTS,
    });

    // Five of six count again; the sixth had been given back.
    const runner = createCommandRunner(log);
    expect((await tell(runner, mandateId, spendOf(CENTS))).kind).to.equal('accepted');
    expect((await tell(runner, mandateId, spendOf(CENTS))).kind).to.equal('rejected');
    const audit = await auditMandate(log, mandateId, null);
    expect(audit).to.deep.include({ findings: [] });
  }

  it('counts again what the view of jobs knows, records it, and drops what was made of it', async () => {
    const world = await lossy();
    const accepted = await accept(world);
    expect(accepted?.mandates).to.deep.equal([
      { mandateId: world.mandateId, spends: 2, amountCents: 2 * CENTS, isRaised: true },
    ]);
    expect(accepted?.followers.map(({ kind }) => kind)).to.deep.equal(['shorter', 'shorter']);
    await isPutRight(world);
  });

  it('refuses where nothing is lost, and is not to be done twice', async () => {
    const world = await lossy();
    await accept(world);
    expect(await accept(world)).to.equal(null);
  });

  it('goes on wherever it died, and comes to the same', async () => {
    for (let last = 1; ; last += 1) {
      let writes = 0;
      let isDying = true;
      const world = await lossy((write) => {
        writes += 1;
        if (isDying && writes === last) throw new Error(`died ${write}`);
      });
      const died = await accept(world).then(
        () => null,
        (error: unknown) => error,
      );
      isDying = false;
      if (died !== null) await accept(world);
      await isPutRight(world);
      if (died === null) {
        expect(last).to.be.above(8);
        return;
      }
    }
  });

  it('has not ended while a follower still differs, and accepts that the next time', async () => {
    const world = await lossy();
    const { parts, checkpoints, log } = world;
    let isDeaf = true;
    const queue = {
      ...parts.queue,
      keepMark: async (mark: LogMark) => (isDeaf ? undefined : parts.queue.keepMark(mark)),
    };
    const deaf = { ...world, parts: { ...parts, queue } };
    expect(await rejectionOf(accept(deaf))).to.match(/the queue has seen .*the same command again/);
    expect(await rejectionOf(assertLossAccepted(checkpoints))).to.be.instanceOf(StoreUnavailable);
    isDeaf = false;
    const again = await accept(deaf);
    expect(again?.followers.map(({ name }) => name)).to.deep.equal(['the queue']);
    await assertLossAccepted(checkpoints);
    expect(await findLoss(parts)).to.equal(null);
    let recorded = 0;
    for await (const _ of log.read('log-losses')) recorded += 1;
    expect(recorded).to.equal(2);
  });

  it('names the file beside the log where that alone still differs, and ends once it is gone', async () => {
    const world = await lossy();
    const { parts, checkpoints } = world;
    const seen = await parts.queue.mark();
    if (seen === null) throw new Error('the queue has seen nothing');
    let isThere = true;
    const followers = async (): Promise<readonly LogFollower[]> => [
      ...(await parts.followers()),
      ...(isThere ? [{ name: HEAD_FILE, position: seen.position, mark: seen }] : []),
    ];
    const stuck = { ...world, parts: { ...parts, followers } };
    for (let tries = 0; tries < 2; tries += 1)
      expect(await rejectionOf(accept(stuck)))
        .to.be.instanceOf(StoreUnavailable)
        .and.to.match(/bourse\.db-head cannot be written\. Make it writable or remove it/);
    isThere = false;
    await accept(stuck);
    await assertLossAccepted(checkpoints);
    expect(await findLoss(stuck.parts)).to.equal(null);
  });

  it('keeps a service from starting until it has ended', async () => {
    const world = await lossy((write) => {
      if (write === 'before the views go') throw new Error('died');
    });
    await rejectionOf(accept(world));
    expect(await rejectionOf(assertLossAccepted(world.checkpoints))).to.match(
      /accept-loss .* goes on with it/,
    );
  });

  it('records spends of a mandate that is lost itself, which nothing can raise', async () => {
    const world = await lossy();
    const empty = memoryEventStore();
    const parts = { ...world.parts, events: empty };
    const loss = await findLoss(parts);
    if (loss === null) throw new Error('nothing was lost');
    const accepted = await acceptLoss(parts, loss, 'All is gone.', CAUSE);
    expect(accepted).to.deep.include({ head: null, spends: SPENDS - 1 });
    expect(accepted.mandates.map(({ isRaised }) => isRaised)).to.deep.equal([false]);
  });
});

/** Accepting a loss: what followers know is used, recorded and dropped, also when it dies between any two writes. */
import { expect } from 'chai';
import { decodeEvent } from '../../events/catalog.ts';
import { type EventStore, NO_STREAM, StoreUnavailable } from '../../events/event-store.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { acceptanceOf, acceptLoss, assertLossAccepted, findLoss } from '../../src/checking/accept-loss.ts';
import type { LogFollower } from '../../src/checking/compare-followers.ts';
import { HEAD_FILE } from '../../src/checking/followers-of.ts';
import { type QueueMark, QueueUnavailable } from '../../src/ports/queue.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { auditMandate } from '../../src/audit/audit-mandate.ts';
import { readAll } from '../support/event-log.ts';
import { newEvents } from '../support/new-event.ts';
import { rejectionOf } from '../support/rejection.ts';
import { soundAudit, spendOf, tell } from '../support/run-commands.ts';
import { AT } from '../support/sample-mandate.ts';
import { CENTS, KEPT, lossyLog, type LossyLog, SPENDS } from './lossy-log.ts';

const CAUSE = { at: AT, actor: 'cli', requestId: 'req-1' };

describe('Accepting a loss', () => {
  async function accept({ parts }: LossyLog) {
    const loss = await findLoss(parts);
    return loss === null ? null : acceptLoss(parts, loss, 'The disk is gone.', CAUSE);
  }
  async function isPutRight(world: LossyLog): Promise<void> {
    const { log, mandateId, parts, checkpoints, views } = world;
    await assertLossAccepted(checkpoints);
    expect(await findLoss(parts), 'what is still lost').to.equal(null);
    expect(await views.status()).to.deep.equal([]);
    const checkpoint = (await checkpoints.get('when-x-then-y')) ?? '';
    expect(checkpoint <= ((await log.head()) ?? ''), 'a checkpoint within the log').to.equal(true);
    const recorded = (await readAll(log, 'log-losses')).map(decodeEvent);
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

  it('is refused before anything is written where the queue cannot be used', async () => {
    const { parts, checkpoints, ...world } = await lossyLog();
    const queue = { ...parts.queue, mark: () => Promise.reject(new QueueUnavailable('the queue is away')) };
    const away = { ...world, checkpoints, parts: { ...parts, queue } };
    expect(await rejectionOf(accept(away))).to.match(/the queue is away/);
    await assertLossAccepted(checkpoints);
    expect(await accept({ ...away, parts })).not.to.equal(null);
  });

  it('counts again what the view of jobs knows, records it, and drops what was made of it', async () => {
    const world = await lossyLog();
    const accepted = await accept(world);
    expect(accepted?.mandates).to.deep.equal([
      { mandateId: world.mandateId, spends: 2, amountCents: 2 * CENTS, isRaised: true },
    ]);
    expect(accepted?.followers.map(({ kind, name }) => `${kind} ${name}`)).to.deep.equal([
      'shorter jobs',
      'shorter the queue',
      'shorter the reaction when-x-then-y',
    ]);
    await isPutRight(world);
  });

  it('refuses where nothing is lost, and is not to be done twice', async () => {
    const world = await lossyLog();
    const before = await acceptanceOf(world.checkpoints);
    await accept(world);
    expect(await acceptanceOf(world.checkpoints)).not.to.equal(before);
    expect(await accept(world)).to.equal(null);
  });

  it('goes on wherever it died, and comes to the same', async () => {
    for (let last = 1; ; last += 1) {
      let writes = 0;
      let isDying = true;
      const world = await lossyLog({
        dies(write) {
          writes += 1;
          if (isDying && writes === last) throw new Error(`died ${write}`);
        },
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
    const world = await lossyLog();
    const { parts, checkpoints, log } = world;
    let isDeaf = true;
    const queue = {
      ...parts.queue,
      keepMark: async (mark: QueueMark) => (isDeaf ? undefined : parts.queue.keepMark(mark)),
    };
    const deaf = { ...world, parts: { ...parts, queue } };
    expect(await rejectionOf(accept(deaf))).to.match(/the queue has seen .*the same command again/);
    expect(await rejectionOf(assertLossAccepted(checkpoints))).to.be.instanceOf(StoreUnavailable);
    isDeaf = false;
    const again = await accept(deaf);
    expect(again?.followers.map(({ name }) => name)).to.deep.equal(['the queue']);
    await assertLossAccepted(checkpoints);
    expect(await findLoss(parts)).to.equal(null);
    expect(await readAll(log, 'log-losses')).to.have.lengthOf(2);
  });

  it('names the file beside the log where that alone still differs, and ends once it is gone', async () => {
    const world = await lossyLog();
    const { parts, checkpoints } = world;
    const seen = (await parts.queue.mark())?.mark ?? null;
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

  const atTheViews = (write: string): void => {
    if (write === 'before the views go') throw new Error('died');
  };

  it('counts nothing twice where it is gone on with days later, when no command id is known any more', async () => {
    const spends = 300;
    let isDying = true;
    const world = await lossyLog({ spends, dies: (write) => isDying && atTheViews(write) });
    await rejectionOf(accept(world));
    isDying = false;
    const later = { ...CAUSE, at: '2026-11-30T23:00:00.000Z' };
    const loss = await findLoss(world.parts);
    if (loss === null) throw new Error('nothing was lost');
    expect((await acceptLoss(world.parts, loss, 'The disk is gone.', later)).spends).to.equal(
      spends - KEPT - 1,
    );
    const { periods } = await soundAudit(world.log, world.mandateId);
    expect([...periods.values()].map(({ netCents }) => netCents)).to.deep.equal([(spends - 1) * CENTS]);
  });

  it('names the jobs that had gone further than the log says', async () => {
    const { parts, log } = await lossyLog();
    // The spends that are left have lost their jobs, which the view knows as drafts.
    const [whole, ...others] = (await findLoss(parts))?.jobs ?? [];
    expect([whole, ...others].map((job) => job?.status)).to.deep.equal(['draft', 'draft', 'draft']);
    await log.append(`job-${whole?.id}`, NO_STREAM, newEvents(1));
    const loss = await findLoss(parts);
    expect(loss?.jobs).to.deep.equal(others);
    if (loss === null) throw new Error('nothing was lost');
    const { jobs } = await acceptLoss(parts, loss, 'The disk is gone.', CAUSE);
    expect(jobs?.map(({ jobId }) => jobId)).to.deep.equal(loss.jobs.map(({ id }) => id));
  });

  it('reads a mandate once, however many of its spends are lost', async () => {
    const { parts, mandateId } = await lossyLog({ spends: 50 });
    let reads = 0;
    const read: EventStore['read'] = (streamId, options) => {
      if (streamId === `mandate-${mandateId}`) reads += 1;
      return parts.events.read(streamId, options);
    };
    const loss = await findLoss({ ...parts, events: { ...parts.events, read } });
    expect(loss?.spends).to.have.lengthOf(50 - KEPT - 1);
    expect(reads).to.equal(1);
  });

  it('keeps a service from starting until it has ended', async () => {
    const world = await lossyLog({ dies: atTheViews });
    await rejectionOf(accept(world));
    expect(await rejectionOf(assertLossAccepted(world.checkpoints))).to.match(
      /accept-loss .* goes on with it/,
    );
  });

  it('records spends of a mandate that is lost itself, which nothing can raise', async () => {
    const world = await lossyLog();
    const empty = memoryEventStore();
    const parts = { ...world.parts, events: empty };
    const loss = await findLoss(parts);
    if (loss === null) throw new Error('nothing was lost');
    const accepted = await acceptLoss(parts, loss, 'All is gone.', CAUSE);
    expect(accepted).to.deep.include({ head: null, spends: SPENDS - 1 });
    expect(accepted.mandates.map(({ isRaised }) => isRaised)).to.deep.equal([false]);
  });
});

/** A log that came back shorter than the view of its jobs, in memory. */
import { decodeEvent, exampleOf } from '../../events/catalog.ts';
import type { Checkpoints } from '../../events/checkpoints.ts';
import { type EventStore, NO_STREAM } from '../../events/event-store.ts';
import { memoryCheckpoints } from '../contract/memory/checkpoints.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { createMemoryQueue } from '../contract/memory/queue.ts';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import { draftedJob, jobsProjection } from '../../projections/jobs.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import type { LossParts } from '../../src/checking/accept-loss.ts';
import type { Queue } from '../../src/ports/queue.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { indexedDocument } from '../../src/projecting/document-buffer.ts';
import { grantNew, spendOf, tell } from '../support/run-commands.ts';

export const SPENDS = 6;
export const KEPT = 3;
export const CENTS = 1_000;

export interface LossyLog {
  readonly parts: LossParts;
  readonly mandateId: string;
  readonly log: EventStore;
  readonly views: ViewStore;
  readonly queue: Queue;
  readonly checkpoints: Checkpoints;
}

/**
 * A log that has lost the last of the spends of a mandate; the view of jobs knows all, and the last one as cancelled.
 * @param dies called before and after what accepting the loss writes
 */
export async function lossyLog({
  spends = SPENDS,
  kept = KEPT,
  dies = () => {},
}: {
  readonly spends?: number;
  readonly kept?: number;
  readonly dies?: (write: string) => void;
} = {}): Promise<LossyLog> {
  const whole = memoryEventStore();
  const runner = createCommandRunner(whole);
  const mandateId = await grantNew(runner, { maxMonthlyCents: spends * CENTS });
  for (let made = 0; made < spends; made += 1) await tell(runner, mandateId, spendOf(CENTS));

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
    if (revision <= kept)
      await memory.append(event.streamId, revision === 0 ? NO_STREAM : revision - 1, [
        { id, type, version, at, data, meta },
      ]);
    const { type: kind, data: spent } = decodeEvent(event);
    if (kind !== 'MandateSpent') continue;
    const { jobId } = spent.order;
    const example = exampleOf('TrialDrafted');
    const draft = { ...example, jobId, amountCents: CENTS, spend: { mandateId, spendId: spent.spendId } };
    const job = draftedJob({ ...example, ...draft, spend: { ...example.spend, ...draft.spend } }, at);
    count += 1;
    const status = count === spends ? ('cancelled' as const) : job.status;
    const document = indexedDocument(jobsProjection, { ...job, status }, null);
    writes.push({ key: jobId, position, document });
  }
  const place = { view: jobsProjection.name, generation: generation.generation };
  await views.commit([{ ...place, from: null, to: mark.position, writes, mark }]);

  const queue = createMemoryQueue();
  const checkpoints = memoryCheckpoints();
  await checkpoints.set('when-x-then-y', mark.position);
  await queue.keepMark({ mark, reached: mark.position });
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
      set: async (...keeping) => {
        dies('before a checkpoint');
        await checkpoints.set(...keeping);
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
      async keepMark(mark) {
        dies('before the queue is told');
        await queue.keepMark(mark);
      },
    },
    followers: async () => {
      const queued = (await queue.mark())?.mark ?? null;
      const marked = (await views.marks()).map((one) => ({
        name: one.view,
        position: one.checkpoint,
        mark: one.mark,
      }));
      return [...marked, { name: 'the queue', position: queued?.position ?? null, mark: queued }];
    },
    reactions: ['when-x-then-y'],
    onProgress: () => {},
  };
  return { parts, mandateId, log: memory, views, queue, checkpoints };
}

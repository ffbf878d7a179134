import { Readable } from 'node:stream';
import { expect } from 'chai';
import { dataSetDecider } from '../../commands/data-set/data-set.ts';
import { exampleOf } from '../../events/catalog.ts';
import { type EventStore, NO_STREAM, StoreUnavailable } from '../../events/event-store.ts';
import { createMemoryBlobs } from '../contract/memory/blobs.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { createMemoryQueue } from '../contract/memory/queue.ts';
import {
  type BlobOwner,
  REMOVE_UNNAMED_BLOB,
  unnamedBlob,
  withRemoval,
} from '../../src/background/unnamed-blobs.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { finishImport } from '../../src/importing/finish-import.ts';
import { QueueUnavailable } from '../../src/ports/queue.ts';
import { removeUnnamedBlob } from '../../src/tasks/remove-unnamed-blob.ts';
import { CAUSE, importAll, MANY } from '../importing/importing.ts';
import { rejectionOf } from '../support/rejection.ts';
import { begin, importIdOf, listed, row } from '../support/sample-data-set.ts';
import { newEvent } from '../support/new-event.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** When every task is due that was added a moment ago. */
const LATER_MS = DAY_MS + 60_000;
const artifact = exampleOf('ArtifactAttached');
const ofJob: BlobOwner = { kind: 'job', jobId: artifact.jobId };

const planAt = (nowMs: number) => ({
  nowMs,
  retryAtMs: () => nowMs,
  signal: new AbortController().signal,
});

/** A market whose tasks are run as they fall due. */
function marketAt() {
  let nowMs = Date.now();
  const events = memoryEventStore();
  const services = {
    events,
    commands: createCommandRunner(events),
    blobs: createMemoryBlobs(),
    queue: createMemoryQueue(() => nowMs),
  };
  const kind = removeUnnamedBlob(services);
  const due = (waitedMs: number) => {
    nowMs += waitedMs;
    return services.queue.claim(REMOVE_UNNAMED_BLOB, 10, 1_000);
  };
  return {
    ...services,
    store: (key: string, owner: BlobOwner) =>
      services.blobs.put(
        key,
        withRemoval(services.queue, { key, owner }, Readable.from([Buffer.from('bytes')])),
        { maxBytes: 100, sha256: null },
      ),
    isThere: async (key: string) => (await services.blobs.open(key, 0, 0)) !== null,
    due,
    /** @returns how many were due */
    async runAfter(waitedMs: number): Promise<number> {
      const tasks = await due(waitedMs);
      for (const task of tasks) {
        const outcome = await kind.run(task, planAt(nowMs));
        if (outcome.kind === 'later') await services.queue.postpone(task, outcome.atMs);
        else await services.queue.finish(task);
      }
      return tasks.length;
    },
  };
}

describe('A blob that no event names', () => {
  it('is removed after a day: the staged batches of an import that died before it began', async () => {
    const market = marketAt();
    const killed = { ...market.commands, run: () => Promise.reject(new Error('killed')) };
    expect(await rejectionOf(importAll({ ...market, commands: killed }, MANY))).to.be.an('error');
    expect(await market.runAfter(DAY_MS - 60_000)).to.equal(0);
    // Its key is in the task alone.
    const [task] = await market.due(120_000);
    const { key } = unnamedBlob.parse(JSON.parse(task?.payload ?? ''));
    expect(await market.isThere(key)).to.equal(true);
    // Whoever claimed it died.
    expect(await market.runAfter(2_000)).to.equal(1);
    expect(await market.isThere(key)).to.equal(false);
    expect(await market.runAfter(DAY_MS)).to.equal(0);
  });

  it('stays as long as an import is under way that still wants it', async () => {
    const market = marketAt();
    const key = importIdOf('first');
    await market.store(key, { kind: 'import', dataset: 'tools' });
    const command = begin('tools', 'first', null, [listed(row('a'))], 2);
    await market.commands.run(dataSetDecider, 'tools', command, { ...CAUSE, commandId: key });
    for (let day = 0; day < 3; day += 1) {
      expect(await market.runAfter(LATER_MS)).to.equal(1);
      expect(await market.isThere(key)).to.equal(true);
    }
    // Died right after its end: what was staged is not removed by whoever ended it.
    await finishImport({ ...market, blobs: createMemoryBlobs() }, 'tools', CAUSE);
    expect(await market.runAfter(LATER_MS)).to.equal(1);
    expect(await market.isThere(key)).to.equal(false);
  });

  it('of another import of the data set is none of the one under way', async () => {
    const market = marketAt();
    await market.store(importIdOf('dead'), { kind: 'import', dataset: 'tools' });
    const command = begin('tools', 'first', null, [listed(row('a'))], 2);
    await market.commands.run(dataSetDecider, 'tools', command, { ...CAUSE, commandId: importIdOf('first') });
    await market.runAfter(LATER_MS);
    expect(await market.isThere(importIdOf('dead'))).to.equal(false);
  });

  it('is removed after a day where a job has other files, and kept where it was ever named', async () => {
    const market = marketAt();
    const replaced = { ...artifact, artifactId: 'art_01kb3j5m8xe3vb0v6yq4s5t7wz' };
    for (const key of [artifact.artifactId, replaced.artifactId, 'art_unnamed'])
      await market.store(key, ofJob);
    await market.events.append(`job-${artifact.jobId}`, NO_STREAM, [
      { ...newEvent(), type: 'ArtifactAttached', data: replaced },
      { ...newEvent(), type: 'ArtifactAttached', data: artifact },
    ]);
    expect(await market.runAfter(LATER_MS)).to.equal(3);
    expect(await market.isThere(artifact.artifactId)).to.equal(true);
    expect(await market.isThere(replaced.artifactId)).to.equal(true);
    expect(await market.isThere('art_unnamed')).to.equal(false);
  });

  it('stays where the log does not know its job, or cannot be read', async () => {
    const market = marketAt();
    await market.store(artifact.artifactId, ofJob);
    const events: EventStore = {
      ...market.events,
      read: () => {
        throw new StoreUnavailable('the log is away');
      },
    };
    const [task] = await market.due(LATER_MS);
    const failed = removeUnnamedBlob({ ...market, events }).run(task!, planAt(Date.now()));
    expect(await rejectionOf(failed)).to.be.instanceOf(StoreUnavailable);
    expect(await market.isThere(artifact.artifactId)).to.equal(true);
    expect(await market.runAfter(2_000)).to.equal(1);
    expect(await market.isThere(artifact.artifactId)).to.equal(true);
  });

  it('is stored also where the queue is away', async () => {
    const { blobs } = marketAt();
    const away = { add: () => Promise.reject(new QueueUnavailable('no route')) };
    const bytes = withRemoval(away, { key: 'art_stored', owner: ofJob }, Readable.from([Buffer.from('x')]));
    expect((await blobs.put('art_stored', bytes, { maxBytes: 9, sha256: null })).kind).to.equal('stored');
  });
});

/** What the queue in queue.db promises when the disk under it says nothing. */
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { openQueueFile } from '../../../infra/sqlite/queue-file.ts';
import { openSqliteQueue, startQueueWorker } from '../../../infra/sqlite/queue.ts';
import { QueueUnavailable } from '../../../src/ports/queue.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { until } from '../../support/until.ts';

const SILENCE_MS = 1_000;
/** SQLite itself gives up waiting for the lock a little later. */
const MAX_SILENCE_MS = 8_000;

describe('The worker of queue.db', () => {
  it('is let go when it does not answer, has no other hang beside it, and is followed by one that answers', async () => {
    const folder = await tempFolder();
    const path = folder.file('queue.db');
    openQueueFile(path).close();
    const answerTimeoutMs = Math.min(
      MAX_SILENCE_MS,
      Math.ceil(SILENCE_MS + 10 * (await timeOfFirstAnswer(path))),
    );
    // Holds the worker up inside SQLite, as a disk does that hangs.
    const lock = new Database(path);
    lock.exec('BEGIN IMMEDIATE');
    const ends: Promise<unknown>[] = [];
    const startWatched = (file: string): Worker => {
      const worker = startQueueWorker(file);
      ends.push(once(worker, 'exit'));
      return worker;
    };
    const { queue, close } = openSqliteQueue(path, { startWorker: startWatched, answerTimeoutMs });

    const silence = await rejectionOf(queue.nextDueAtMs('deliver'));
    expect(silence).to.be.instanceOf(QueueUnavailable);
    expect(silence).to.have.property(
      'message',
      `the disk of the queue has not answered for ${answerTimeoutMs} ms`,
    );
    const refused = await rejectionOf(queue.nextDueAtMs('deliver'));
    expect(refused).to.be.instanceOf(QueueUnavailable);
    expect(refused).to.have.property('message', 'the disk of the queue does not answer');
    expect(ends).to.have.length(1);

    lock.exec('COMMIT');
    lock.close();
    await ends[0];
    const answers = () =>
      queue.nextDueAtMs('deliver').then(
        (due) => due === null,
        () => false,
      );
    await until('another answers', answers, 60_000);
    await close();
    await folder.remove();
  }).timeout(180_000);
});

/** How long this machine, busy as it is, takes to start a worker and have an answer of it. */
async function timeOfFirstAnswer(path: string): Promise<number> {
  const startedMs = performance.now();
  const { queue, close } = openSqliteQueue(path);
  await queue.nextDueAtMs('deliver');
  await close();
  return performance.now() - startedMs;
}

/** The event loop's side of queue.db. */
import type { Worker } from 'node:worker_threads';
import { QueueUnavailable } from '../../src/ports/queue.ts';
import { CallThread } from './call-thread.ts';
import type { QueueCalls } from './queue-messages.ts';
import { spawnWorker } from './spawn-worker.ts';

export type StartQueueWorker = (path: string) => Worker;

export const startQueueWorker: StartQueueWorker = (path) => spawnWorker('./queue-worker', path);

export class QueueThread extends CallThread<QueueCalls> {
  constructor(path: string, startWorker: StartQueueWorker = startQueueWorker, answerTimeoutMs?: number) {
    super({
      file: 'queue',
      startWorker: () => startWorker(path),
      Unavailable: QueueUnavailable,
      answerTimeoutMs,
    });
  }
}

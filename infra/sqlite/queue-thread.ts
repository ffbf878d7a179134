/**
 * The event loop's side of queue.db: no sync of a disk stops a request. What is asked while a batch is under way goes
 * out as the next one, so that a busy queue costs few commits.
 */
import type { Worker } from 'node:worker_threads';
import { QueueUnavailable } from '../../src/ports/queue.ts';
import type { QueueAnswer, QueueCall, QueueCalls, QueueRequest } from './queue-messages.ts';
import { AskedWorker } from './asked-worker.ts';
import { startWorkerBeside } from './worker-beside.ts';

export type StartQueueWorker = (path: string) => Worker;

export const startQueueWorker: StartQueueWorker = (path) => startWorkerBeside('./queue-worker', path);

const MAX_WAITING = 20_000;
const MAX_BATCH = 500;

interface Pending extends QueueRequest {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class QueueThread {
  readonly #worker: AskedWorker<readonly QueueRequest[], QueueAnswer, QueueAnswer>;
  #waiting: Pending[] = [];
  #draining: Promise<void> | undefined;
  #isClosed = false;

  constructor(path: string, startWorker: StartQueueWorker = startQueueWorker, answerTimeoutMs?: number) {
    const failed = (message: string): QueueAnswer => ({ ok: false, message });
    this.#worker = new AskedWorker({
      file: 'queue',
      start: () => startWorker(path),
      answerTimeoutMs,
      answerIn: (answer: QueueAnswer) => answer,
      refused: failed,
      lost: failed,
    });
  }

  /** @throws {QueueUnavailable} nothing was done, or the worker died or hung and it is not known */
  ask<Call extends QueueCall>(
    call: Call,
    ...args: Parameters<QueueCalls[Call]>
  ): Promise<ReturnType<QueueCalls[Call]>> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new QueueUnavailable('the queue is closed'));
      if (this.#waiting.length >= MAX_WAITING) return reject(new QueueUnavailable('the queue is overloaded'));
      // The worker runs the very method that `Call` names: its result is of that method's type.
      this.#waiting.push({ call, args, resolve: resolve as Pending['resolve'], reject });
      this.#draining ??= this.#drain();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#draining;
    await this.#worker.close();
  }

  async #drain(): Promise<void> {
    // What the same turn of the event loop brings goes out together.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH);
      const answer = await this.#worker.ask(batch.map(({ call, args }) => ({ call, args })));
      batch.forEach(({ resolve, reject }, i) => {
        if (answer.ok) resolve(answer.results[i]);
        else reject(new QueueUnavailable(answer.message));
      });
    }
    this.#draining = undefined;
  }
}

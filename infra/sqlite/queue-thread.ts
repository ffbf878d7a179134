/**
 * The event loop's side of queue.db: no sync of a disk stops a request. What is asked while a batch is under way goes
 * out as the next one, so that a busy queue costs few commits.
 */
import type { Worker } from 'node:worker_threads';
import { QueueUnavailable } from '../../src/ports/queue.ts';
import type { QueueAnswer, QueueCall, QueueCalls, QueueRequest } from './queue-messages.ts';
import { startWorkerBeside } from './worker-beside.ts';

const MAX_WAITING = 20_000;
const MAX_BATCH = 500;

interface Pending extends QueueRequest {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class QueueThread {
  readonly #path: string;
  #worker: Worker | undefined;
  #waiting: Pending[] = [];
  #answer: ((answer: QueueAnswer) => void) | undefined;
  #draining: Promise<void> | undefined;
  #isClosed = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws {QueueUnavailable} nothing was done, or the worker died and it is not known */
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
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#worker = undefined;
    worker.ref();
    const exit = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage(null);
    await exit;
  }

  async #drain(): Promise<void> {
    // What the same turn of the event loop brings goes out together.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH);
      const answer = await this.#perform(batch.map(({ call, args }) => ({ call, args })));
      batch.forEach(({ resolve, reject }, i) => {
        if (answer.ok) resolve(answer.results[i]);
        else reject(new QueueUnavailable(answer.message));
      });
    }
    this.#draining = undefined;
  }

  async #perform(requests: readonly QueueRequest[]): Promise<QueueAnswer> {
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    const answer = await new Promise<QueueAnswer>((resolve) => {
      this.#answer = resolve;
      worker.postMessage(requests);
    });
    worker.unref();
    return answer;
  }

  #start(): Worker {
    const worker = startWorkerBeside('./queue-worker', this.#path);
    let cause = 'it was terminated';
    worker.on('message', (answer: QueueAnswer) => this.#settle(worker, answer));
    worker.on('error', (error) => {
      cause = String(error);
    });
    worker.on('exit', () => {
      this.#settle(worker, { ok: false, message: `the worker of the queue died: ${cause}` });
      if (this.#worker === worker) this.#worker = undefined;
    });
    worker.unref();
    return worker;
  }

  #settle(worker: Worker, answer: QueueAnswer): void {
    if (worker !== this.#worker) return;
    const resolve = this.#answer;
    this.#answer = undefined;
    resolve?.(answer);
  }
}

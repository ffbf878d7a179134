/** Runs log-writer-worker.ts: started when needed, let go when it hangs, and started again after a death. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import type { FromWriter, GroupAnswer, ToWriter, WriteRequest, WriterSettings } from './log-messages.ts';
import { startWorkerBeside } from './worker-beside.ts';

/** A disk that answers nothing for so long is hung. */
const ANSWER_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 5_000;

export type StartWorker = (settings: WriterSettings) => Worker;

export const startLogWriter: StartWorker = (settings) => startWorkerBeside('./log-writer-worker', settings);

export class WriterThread {
  readonly #settings: WriterSettings;
  readonly #startWorker: StartWorker;
  readonly #answerTimeoutMs: number;
  #worker: Worker | undefined;
  #answer: ((answer: GroupAnswer) => void) | undefined;
  #checkpointFailures = 0;

  constructor(
    settings: WriterSettings,
    startWorker: StartWorker = startLogWriter,
    answerTimeoutMs = ANSWER_TIMEOUT_MS,
  ) {
    this.#settings = settings;
    this.#startWorker = startWorker;
    this.#answerTimeoutMs = answerTimeoutMs;
  }

  get checkpointFailures(): number {
    return this.#checkpointFailures;
  }

  start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = this.#startWorker(this.#settings);
    let cause = 'it was terminated';
    worker.on('message', (message: FromWriter) => this.#receive(worker, message));
    worker.on('error', (error) => {
      cause = String(error);
    });
    worker.on('exit', () => this.#lose(worker, `the writer of the log died: ${cause}`));
    // Idle, it must not keep the process alive.
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  /** One group at a time. Never rejects: death and silence are answers too. */
  async commit(group: readonly WriteRequest[]): Promise<GroupAnswer> {
    let worker: Worker;
    try {
      worker = this.start();
    } catch (error) {
      return { kind: 'refused', message: `the writer of the log cannot be started: ${String(error)}` };
    }
    worker.ref();
    const deadline = setTimeout(() => this.#letGo(worker), this.#answerTimeoutMs);
    const answer = await new Promise<GroupAnswer>((resolve) => {
      this.#answer = resolve;
      post(worker, group);
    });
    clearTimeout(deadline);
    if (worker === this.#worker) worker.unref();
    return answer;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#worker = undefined;
    worker.ref();
    const exit = once(worker, 'exit');
    post(worker, null);
    await Promise.race([exit, delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  #receive(worker: Worker, message: FromWriter): void {
    if (worker !== this.#worker) return;
    if (message.kind === 'checkpointFailed') this.#checkpointFailures += 1;
    else this.#settle(message);
  }

  /**
   * It ends by itself once the disk lets it; until then the lock makes its successor refuse. It is asked, never
   * terminated: the addon of SQLite that cannot throw its error in an ending thread aborts the whole process. The end of
   * the process would terminate it too, and wait for the disk all the same: so the process lives until it has ended.
   */
  #letGo(worker: Worker): void {
    post(worker, null);
    this.#lose(worker, `the disk of the log has not answered for ${this.#answerTimeoutMs} ms`);
  }

  #lose(worker: Worker, message: string): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#settle({ kind: 'unknown', message });
  }

  #settle(answer: GroupAnswer): void {
    const resolve = this.#answer;
    this.#answer = undefined;
    resolve?.(answer);
  }
}

function post(worker: Worker, message: ToWriter): void {
  worker.postMessage(message);
}

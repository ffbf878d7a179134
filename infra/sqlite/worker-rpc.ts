/** A worker that is asked one thing at a time: started when needed, let go when it hangs, started again after a death. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

/** A disk that answers nothing for so long is hung. */
const ANSWER_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 5_000;

export type WorkerFile = 'log' | 'queue' | 'meter' | 'views' | 'key store';

export interface WorkerRpcParts<Message, Answer> {
  /** What it writes or reads, for messages. */
  readonly file: WorkerFile;
  /** The worker ends by itself once it is sent null. */
  readonly start: () => Worker;
  readonly answerTimeoutMs?: number | undefined;
  /** The answer that a message of the worker is; null where it is something else. */
  readonly answerIn: (message: Message) => Answer | null;
  /** In place of an answer where nothing was asked. */
  readonly refused: (message: string) => Answer;
  /** In place of an answer where only the file can tell what came of what was asked. */
  readonly lost: (message: string) => Answer;
}

export class WorkerRpc<Question, Message, Answer> {
  readonly #parts: WorkerRpcParts<Message, Answer>;
  readonly #answerTimeoutMs: number;
  #worker: Worker | undefined;
  /** One that was let go and has not ended yet. */
  #hung: Worker | undefined;
  #answer: ((answer: Answer) => void) | undefined;

  constructor(parts: WorkerRpcParts<Message, Answer>) {
    this.#parts = parts;
    this.#answerTimeoutMs = parts.answerTimeoutMs ?? ANSWER_TIMEOUT_MS;
  }

  start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = this.#parts.start();
    let cause = 'it was terminated';
    worker.on('message', (message: Message) => this.#receive(worker, message));
    worker.on('error', (error) => {
      cause = String(error);
    });
    worker.on('exit', () => {
      if (this.#hung === worker) this.#hung = undefined;
      this.#lose(worker, `the worker of the ${this.#parts.file} died: ${cause}`);
    });
    // Idle, it must not keep the process alive.
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  /** One question at a time. Never rejects: death and silence are answers too. */
  async ask(question: Question): Promise<Answer> {
    const { file, refused } = this.#parts;
    // Another would hang beside it, and one more after each deadline.
    if (this.#hung !== undefined) return refused(`the disk of the ${file} does not answer`);
    let worker: Worker;
    try {
      worker = this.start();
    } catch (error) {
      return refused(`the worker of the ${file} cannot be started: ${String(error)}`);
    }
    worker.ref();
    const deadline = setTimeout(() => this.#letGo(worker), this.#answerTimeoutMs);
    try {
      return await new Promise<Answer>((resolve) => {
        this.#answer = resolve;
        worker.postMessage(question);
      });
    } catch (error) {
      this.#answer = undefined;
      return refused(`the worker of the ${file} cannot be asked: ${String(error)}`);
    } finally {
      clearTimeout(deadline);
      if (worker === this.#worker) worker.unref();
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#worker = undefined;
    worker.ref();
    const exit = once(worker, 'exit');
    worker.postMessage(null);
    await Promise.race([exit, delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  #receive(worker: Worker, message: Message): void {
    if (worker !== this.#worker) return;
    const answer = this.#parts.answerIn(message);
    if (answer !== null) this.#settle(answer);
  }

  /**
   * It ends by itself once the disk lets it. It is asked, never terminated: the addon of SQLite that cannot throw its
   * error in an ending thread aborts the whole process. The end of the process would terminate it too, and wait for the
   * disk all the same: so the process lives until it has ended.
   */
  #letGo(worker: Worker): void {
    this.#hung = worker;
    worker.postMessage(null);
    this.#lose(
      worker,
      `the disk of the ${this.#parts.file} has not answered for ${this.#answerTimeoutMs} ms`,
    );
  }

  #lose(worker: Worker, message: string): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#settle(this.#parts.lost(message));
  }

  #settle(answer: Answer): void {
    const resolve = this.#answer;
    this.#answer = undefined;
    resolve?.(answer);
  }
}

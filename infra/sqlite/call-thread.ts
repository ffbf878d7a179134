/**
 * The event loop's side of a file that a worker keeps: no sync of a disk stops a request. What is asked while a batch is
 * under way goes out as the next one, each batch in one durable transaction, so that many calls cost few commits.
 */
import type { Worker } from 'node:worker_threads';
import { type WorkerFile, WorkerRpc } from './worker-rpc.ts';

/** Everything that can be asked of the file, by name. */
export type Calls<Name extends string = string> = Readonly<Record<Name, (...args: never[]) => unknown>>;

/** The calls of a port as they are where the file is: done when they return. */
export type Synchronous<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : never;
};

/** A list: to copy objects from thread to thread costs more. */
export type CallRequest = readonly [call: string, args: readonly unknown[]];

/** The results of a batch in its order, committed together; or why nothing was done. */
export type CallAnswer =
  | { readonly ok: true; readonly results: readonly unknown[] }
  | { readonly ok: false; readonly message: string };

export interface CallThreadParts {
  readonly file: WorkerFile;
  readonly startWorker: () => Worker;
  /** What is thrown where nothing was done, or the worker died or hung and it is not known. */
  readonly Unavailable: new (message: string) => Error;
  readonly answerTimeoutMs?: number | undefined;
}

const MAX_WAITING = 20_000;
const MAX_BATCH = 500;

interface Pending {
  readonly request: CallRequest;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class CallThread<FileCalls extends Calls> {
  readonly #worker: WorkerRpc<readonly CallRequest[], CallAnswer, CallAnswer>;
  readonly #parts: CallThreadParts;
  #waiting: Pending[] = [];
  #draining: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: CallThreadParts) {
    const failed = (message: string): CallAnswer => ({ ok: false, message });
    this.#parts = parts;
    this.#worker = new WorkerRpc({
      file: parts.file,
      start: parts.startWorker,
      answerTimeoutMs: parts.answerTimeoutMs,
      answerIn: (answer: CallAnswer) => answer,
      refused: failed,
      lost: failed,
    });
  }

  /** @throws what the parts name: nothing was done, or the worker died or hung and it is not known */
  ask<Name extends keyof FileCalls & string>(
    call: Name,
    ...args: Parameters<FileCalls[Name]>
  ): Promise<ReturnType<FileCalls[Name]>> {
    const { file, Unavailable } = this.#parts;
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new Unavailable(`the ${file} is closed`));
      if (this.#waiting.length >= MAX_WAITING) return reject(new Unavailable(`the ${file} is overloaded`));
      // The worker runs the very method that `call` names: its result is of that method's type.
      this.#waiting.push({ request: [call, args], resolve: resolve as Pending['resolve'], reject });
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
      const answer = await this.#worker.ask(batch.map(({ request }) => request));
      batch.forEach(({ resolve, reject }, i) => {
        if (answer.ok) resolve(answer.results[i]);
        else reject(new this.#parts.Unavailable(answer.message));
      });
    }
    this.#draining = undefined;
  }
}

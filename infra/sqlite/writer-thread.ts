/** The thread of log-writer-worker.ts, as log-writer.ts sees it: groups go in, and what became of each comes out. */
import type { Worker } from 'node:worker_threads';
import { WorkerRpc } from './worker-rpc.ts';
import type { FromWriter, GroupAnswer, WriteRequest, WriterSettings } from './log-messages.ts';
import { spawnWorker } from './spawn-worker.ts';

export type StartWorker = (settings: WriterSettings) => Worker;

export const startLogWriter: StartWorker = (settings) => spawnWorker('./log-writer-worker', settings);

export interface WriterThreadOptions {
  readonly startWorker?: StartWorker | undefined;
  readonly answerTimeoutMs?: number | undefined;
  /** Told that the files were removed or replaced; or, with null, that they are back in their place. */
  readonly onDisplaced?: ((message: string | null) => void) | undefined;
  /** Told why the file beside the log cannot be written; or, with null, that it can again. */
  readonly onWitness?: ((message: string | null) => void) | undefined;
}

export class WriterThread {
  readonly #onDisplaced: WriterThreadOptions['onDisplaced'];
  readonly #onWitness: WriterThreadOptions['onWitness'];
  readonly #worker: WorkerRpc<readonly WriteRequest[], FromWriter, GroupAnswer>;
  #checkpointFailures = 0;

  constructor(
    settings: WriterSettings,
    { startWorker = startLogWriter, answerTimeoutMs, onDisplaced, onWitness }: WriterThreadOptions = {},
  ) {
    this.#onDisplaced = onDisplaced;
    this.#onWitness = onWitness;
    this.#worker = new WorkerRpc({
      file: 'log',
      start: () => startWorker(settings),
      answerTimeoutMs,
      answerIn: (message: FromWriter) => this.#answerIn(message),
      refused: (message) => ({ kind: 'refused', message }),
      lost: (message) => ({ kind: 'unknown', message }),
    });
  }

  get checkpointFailures(): number {
    return this.#checkpointFailures;
  }

  start(): void {
    this.#worker.start();
  }

  /** One group at a time. Never rejects: death and silence are answers too. */
  commit(group: readonly WriteRequest[]): Promise<GroupAnswer> {
    return this.#worker.ask(group);
  }

  close(): Promise<void> {
    return this.#worker.close();
  }

  #answerIn(message: FromWriter): GroupAnswer | null {
    switch (message.kind) {
      case 'checkpointFailed':
        this.#checkpointFailures += 1;
        return null;
      case 'displaced':
        this.#onDisplaced?.(message.message);
        return null;
      case 'witness':
        this.#onWitness?.(message.message);
        return null;
      default:
        return message;
    }
  }
}

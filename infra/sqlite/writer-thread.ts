/** The thread of log-writer-worker.ts, as log-writer.ts sees it: groups go in, and what became of each comes out. */
import type { Worker } from 'node:worker_threads';
import { AskedWorker } from './asked-worker.ts';
import type { FromWriter, GroupAnswer, WriteRequest, WriterSettings } from './log-messages.ts';
import { startWorkerBeside } from './worker-beside.ts';

export type StartWorker = (settings: WriterSettings) => Worker;

export const startLogWriter: StartWorker = (settings) => startWorkerBeside('./log-writer-worker', settings);

export class WriterThread {
  readonly #worker: AskedWorker<readonly WriteRequest[], FromWriter, GroupAnswer>;
  #checkpointFailures = 0;

  constructor(settings: WriterSettings, startWorker: StartWorker = startLogWriter, answerTimeoutMs?: number) {
    this.#worker = new AskedWorker({
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
    if (message.kind !== 'checkpointFailed') return message;
    this.#checkpointFailures += 1;
    return null;
  }
}

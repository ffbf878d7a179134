/**
 * Copies WALs back in a thread of its own: some 20 ms for 16 MiB, in which a commit would otherwise wait. The thread is
 * started when the first WAL has grown, which takes thousands of events; most programs never need it.
 */
import type { Worker } from 'node:worker_threads';
import { spawnWorker } from './spawn-worker.ts';

export interface CopyOrder {
  /** The database whose WAL has grown. */
  readonly path: string;
  /** Each copies what was written during the one before. Its writer begins the WAL anew only once nothing is left. */
  readonly maxPasses: number;
}

/** Where nobody does so after it, and the writer would stop for it once the WAL is four times too large. */
export const PASSES_ALONE = 10;
/** How often whoever does not write the file himself looks whether its WAL has grown. */
export const TRIM_EVERY_MS = 100;

/** Null to end. */
export type ToCopier = CopyOrder | null;

export interface FromCopier {
  readonly path: string;
  readonly failure: string | null;
}

export interface WalCopier {
  copy(order: CopyOrder): void;
  /** Resolves once nothing is being copied any more. */
  end(): Promise<void>;
}

/** `onCopied` hears of each path: what its writer has added since the copying began is for the writer to copy. */
export function walCopier(onCopied: (copied: FromCopier) => void): WalCopier {
  let worker: Worker | undefined;
  /** Of all threads that were asked to end. */
  let ended: Promise<unknown> = Promise.resolve();

  const start = (): Worker => {
    const started = spawnWorker('./wal-copier-worker', null);
    started.on('message', onCopied);
    started.on('error', (error) => onCopied({ path: '', failure: String(error) }));
    started.on('exit', () => {
      if (worker === started) worker = undefined;
    });
    return started;
  };

  return {
    copy(order) {
      worker ??= start();
      post(worker, order);
    },
    async end() {
      if (worker !== undefined) {
        const last = worker;
        const exit = new Promise((resolve) => void last.once('exit', resolve));
        post(last, null);
        // Whatever is to be copied from now on is for another.
        worker = undefined;
        ended = Promise.all([ended, exit]);
      }
      await ended;
    },
  };
}

function post(worker: Worker, message: ToCopier): void {
  worker.postMessage(message);
}

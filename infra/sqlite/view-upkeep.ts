/**
 * Takes the steps of long work on the file of the views (view-steps.ts), one after the other: those among few documents
 * in the event loop, all others in a worker, which holds the file for seconds now and then. Reads go on meanwhile, and
 * writes of this process wait for their turn.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { ViewsUnavailable } from '../../projections/view-store.ts';
import { spawnWorker } from './spawn-worker.ts';
import type { ViewEngine, ViewsOpenHere } from './view-engine.ts';
import { documentsOf, takeStep, type ViewChore } from './view-steps.ts';
import { WorkerRpc } from './worker-rpc.ts';

export interface ViewUpkeep {
  /** Does the chore to its end, after those that were asked for before. @throws {ViewsUnavailable} */
  readonly run: (chore: ViewChore) => Promise<void>;
  /** Waits for the step under way, and takes no other. */
  readonly close: () => Promise<void>;
}

export interface ViewUpkeepOptions {
  /** For tests that watch the worker. */
  readonly startUpkeepWorker?: (place: ViewsOpenHere) => Worker;
}

export type StepAnswer =
  | { readonly kind: 'taken'; readonly isLast: boolean }
  | { readonly kind: 'unavailable' | 'bug'; readonly message: string };

/** A step among so many takes about ten milliseconds. */
const FEW_DOCUMENTS = 500;
/** An index of a million documents, on a busy machine. */
const STEP_TIMEOUT_MS = 600_000;

export function startUpkeepWorker(place: ViewsOpenHere): Worker {
  return spawnWorker('./view-upkeep-worker', place);
}

export function viewUpkeep(engine: ViewEngine, options: ViewUpkeepOptions = {}): ViewUpkeep {
  const start = options.startUpkeepWorker ?? startUpkeepWorker;
  const unavailable = (message: string): StepAnswer => ({ kind: 'unavailable', message });
  const worker = new WorkerRpc<ViewChore, StepAnswer, StepAnswer>({
    file: 'views',
    start: () => start(engine.place),
    answerTimeoutMs: STEP_TIMEOUT_MS,
    answerIn: (answer) => answer,
    refused: unavailable,
    lost: unavailable,
  });
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let isClosed = false;

  /** Whether nothing is left. */
  const step = async (chore: ViewChore): Promise<boolean> => {
    if (isClosed) throw new ViewsUnavailable('the views are closed');
    const documents = engine.read(() => documentsOf(engine, chore));
    if (documents === null) return true;
    if (documents <= FEW_DOCUMENTS) return engine.write(() => takeStep(engine, chore));
    return isLast(chore, await engine.holdingWrites(() => worker.ask(chore)));
  };
  const toItsEnd = async (chore: ViewChore): Promise<void> => {
    try {
      // Whoever waits to write does so between two steps.
      while (!(await step(chore))) await nextTurn();
    } finally {
      waiting -= 1;
      // It has memory of its own, and is seldom needed.
      if (waiting === 0) await worker.close();
    }
  };

  return {
    run(chore) {
      waiting += 1;
      const run = last.then(() => toItsEnd(chore));
      last = run.catch(() => undefined);
      return run;
    },
    async close() {
      isClosed = true;
      await last;
    },
  };
}

/** @throws {ViewsUnavailable} */
function isLast({ kind }: ViewChore, answer: StepAnswer): boolean {
  switch (answer.kind) {
    case 'taken':
      return answer.isLast;
    case 'unavailable':
      throw new ViewsUnavailable(answer.message);
    case 'bug':
      throw new Error(`${kind} failed: ${answer.message}`);
  }
}

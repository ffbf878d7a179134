/**
 * Does what the queue holds: claims tasks that are due, runs them side by side within a bound, tries failed ones again
 * with growing pauses and full jitter, and repeats those that ask for it.
 */
import { setMaxListeners } from 'node:events';
import type { Queue, Task } from '../ports/queue.ts';
import { fullJitter } from '../commanding/append-with-retry.ts';
import { createAsyncEvent } from '../timing/async-event.ts';

export type TaskOutcome =
  /** `after` is what has to be kept with it: both go to the queue's file together. */
  | { readonly kind: 'done'; readonly after?: Promise<unknown> }
  /** Once more at that time, as if it had just been added. */
  | { readonly kind: 'repeat'; readonly atMs: number }
  /** Not now, but at that time: nothing was tried. */
  | { readonly kind: 'later'; readonly atMs: number }
  /** It failed, and another try may help: at `atMs`, or when the plan says. */
  | { readonly kind: 'retry'; readonly error: unknown; readonly atMs?: number };

export interface RetryPolicy {
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  /** So long after it was added a failed task is given up. */
  readonly giveUpAfterMs: number;
}

export interface TaskKind {
  readonly name: string;
  /** So many at once. */
  readonly concurrency: number;
  /** Longer than any run may take: after it somebody else gets the task. */
  readonly leaseMs: number;
  readonly retry: RetryPolicy;
  /** A thrown error is a failure that another try may help. Runs at least once; `retryAtMs` is null on the last try. */
  readonly run: (task: Task, plan: RunPlan) => Promise<TaskOutcome>;
}

export interface RetryPlan {
  /**
   * When it is to be tried again where it fails now: pauses count from the end of a try, however long that took, and
   * are at least `pauseMs`. Null where it is given up.
   */
  readonly retryAtMs: (pauseMs?: number) => number | null;
  /** When the try began. */
  readonly nowMs: number;
}

export interface RunPlan extends RetryPlan {
  /** Aborted when the service stops and has waited: what is given up then, and asked for again `later`, is not lost. */
  readonly signal: AbortSignal;
}

export interface TaskRunner {
  /** Runs that are under way. */
  readonly underWay: () => number;
  /** Resolves when the runs under way have ended, which they are told to before long; nothing is claimed any more. */
  readonly stop: () => Promise<void>;
}

export interface TaskRunnerParts {
  readonly queue: Queue;
  readonly kinds: readonly TaskKind[];
  /** Unix time in milliseconds. */
  readonly now: () => number;
  /** Told of each failed run and of each failure of the queue. */
  readonly onError: (kind: string, error: unknown) => void;
}

/** What other processes add is found by looking so often. */
const LOOK_EVERY_MS = 1_000;
const MAX_CLAIM = 128;
const MIN_CLAIM = 32;
const AFTER_ERROR_MS = 1_000;
const MAX_DOUBLINGS = 30;
/** So long a busy kind waits for several free places; then it makes do with fewer. */
const GATHER_MS = 50;
/** Runs under way have so long to end by themselves when the service stops. */
const STOP_GRACE_MS = 1_000;

export function startTaskRunner(parts: TaskRunnerParts): TaskRunner {
  const stopping = new AbortController();
  // Every run listens.
  setMaxListeners(0, stopping.signal);
  const loops = parts.kinds.map((kind) => startClaimLoop(kind, parts, stopping.signal));
  parts.queue.onAdded(() => loops.forEach(({ wake }) => wake()));
  return {
    underWay: () => loops.reduce((sum, { underWay }) => sum + underWay(), 0),
    async stop() {
      const grace = setTimeout(() => stopping.abort(), STOP_GRACE_MS);
      await Promise.all(loops.map(({ stop }) => stop()));
      clearTimeout(grace);
    },
  };
}

interface ClaimLoop {
  readonly wake: () => void;
  readonly underWay: () => number;
  readonly stop: () => Promise<void>;
}

function startClaimLoop(kind: TaskKind, parts: TaskRunnerParts, signal: AbortSignal): ClaimLoop {
  const { queue, now, onError } = parts;
  const news = createAsyncEvent();
  const runs = new Set<Promise<void>>();
  let isStopping = false;

  async function look(): Promise<void> {
    while (!isStopping) {
      await gather();
      const free = freePlaces();
      if (free === 0) {
        await news.wait(LOOK_EVERY_MS);
        continue;
      }
      const tasks = await queue.claim(kind.name, free, kind.leaseMs);
      for (const task of tasks) begin(task);
      if (tasks.length < free) await news.wait(await idleMs());
    }
  }

  const freePlaces = (): number => Math.min(MAX_CLAIM, kind.concurrency - runs.size);

  /** Waits until there are several free places: each claim costs a commit. Where runs are slow, a few have to do. */
  async function gather(): Promise<void> {
    const endMs = performance.now() + GATHER_MS;
    while (!isStopping && freePlaces() < leastClaim(kind.concurrency)) {
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) return;
      await news.wait(leftMs);
    }
  }

  async function idleMs(): Promise<number> {
    const due = await queue.nextDueAtMs(kind.name);
    return due === null ? LOOK_EVERY_MS : Math.min(LOOK_EVERY_MS, Math.max(1, due - now()));
  }

  function begin(task: Task): void {
    const run = settle(kind, task, parts, signal)
      // The claim runs out, and the task is handed out again.
      .catch((error: unknown) => onError(kind.name, error))
      .finally(() => {
        runs.delete(run);
        news.set();
      });
    runs.add(run);
  }

  async function lookForEver(): Promise<void> {
    while (!isStopping) {
      try {
        await look();
      } catch (error) {
        onError(kind.name, error);
        await createAsyncEvent().wait(AFTER_ERROR_MS);
      }
    }
    await Promise.all(runs);
  }

  const finished = lookForEver();
  return {
    wake: news.set,
    underWay: () => runs.size,
    async stop() {
      isStopping = true;
      news.set();
      await finished;
    },
  };
}

/** A busy kind claims for several free places at once. */
function leastClaim(concurrency: number): number {
  return Math.max(1, Math.min(MIN_CLAIM, concurrency >> 2));
}

async function settle(
  kind: TaskKind,
  task: Task,
  { queue, now, onError }: TaskRunnerParts,
  signal: AbortSignal,
): Promise<void> {
  const plan = { ...retryPlan(kind.retry, task, now), signal };
  const outcome = await run(kind, task, plan);
  if (outcome.kind === 'done') {
    await Promise.all([queue.finish(task), outcome.after]);
    return;
  }
  if (outcome.kind === 'repeat') return queue.repeat(task, outcome.atMs);
  if (outcome.kind === 'later') return queue.postpone(task, outcome.atMs);
  onError(kind.name, outcome.error);
  const againMs = outcome.atMs ?? plan.retryAtMs();
  if (againMs === null) await queue.finish(task);
  else await queue.postpone(task, againMs);
}

async function run(kind: TaskKind, task: Task, plan: RunPlan): Promise<TaskOutcome> {
  try {
    return await kind.run(task, plan);
  } catch (error) {
    return { kind: 'retry', error };
  }
}

/** @param now Unix time in milliseconds */
export function retryPlan(
  { firstPauseMs, maxPauseMs, giveUpAfterMs }: RetryPolicy,
  { attempt, addedAtMs }: Pick<Task, 'attempt' | 'addedAtMs'>,
  now: () => number,
): RetryPlan {
  const bound = Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(attempt - 1, MAX_DOUBLINGS));
  // Half of the bound for certain: with full jitter from nothing a whole day's tries could go by in a minute.
  const drawnMs = Math.ceil(bound / 2 + fullJitter(1, bound / 2));
  return {
    nowMs: now(),
    retryAtMs(pauseMs = 0) {
      const atMs = now() + Math.max(drawnMs, pauseMs);
      return atMs > addedAtMs + giveUpAfterMs ? null : atMs;
    },
  };
}

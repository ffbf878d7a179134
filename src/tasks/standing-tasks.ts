/** Tasks that there is always one of, however often the service starts: each repeats itself. */
import type { TaskKind } from '../background/task-runner.ts';
import type { NewTask, Queue } from '../ports/queue.ts';
import { rest } from '../timing/rest.ts';

const NAMES = [
  'expire-drafts',
  'rescore-due-agents',
  'prune-deliveries',
  'checkpoint-usage',
  'finish-imports',
  'sync-models',
] as const;
/** A queue that lost what it held gets them again after so long. */
const LOOK_EVERY_MS = 60_000;
const AFTER_ERROR_MS = 1_000;

/** One of them, done again after so long. @param firstPauseMs after its first failure */
export function standingTask(
  name: (typeof NAMES)[number],
  everyMs: number,
  work: (nowMs: number) => Promise<unknown>,
  firstPauseMs = 1_000,
): TaskKind {
  return {
    name,
    concurrency: 1,
    leaseMs: 10 * 60_000,
    retry: { firstPauseMs, maxPauseMs: everyMs, giveUpAfterMs: Infinity },
    async run(_task, { nowMs }) {
      await work(nowMs);
      return { kind: 'repeat', atMs: nowMs + everyMs };
    },
  };
}

/** Sees to it that those of these kinds are there until the signal is aborted. */
export async function keepStandingTasks(
  queue: Queue,
  kinds: readonly Pick<TaskKind, 'name'>[],
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    const restMs = await queue.add(standingTasks(kinds)).then(
      () => LOOK_EVERY_MS,
      (error: unknown) => {
        onError(error);
        return AFTER_ERROR_MS;
      },
    );
    await rest(restMs, signal);
  }
}

function standingTasks(kinds: readonly Pick<TaskKind, 'name'>[]): readonly NewTask[] {
  const names = NAMES.filter((wanted) => kinds.some(({ name }) => name === wanted));
  return names.map((name) => ({ id: name, name, payload: '{}', dueAtMs: 0 }));
}

/** How far each view is: for readers that wait for their own writes, and for the question whether all is well. */
import { type GenerationStatus, type ViewStore, ViewsUnavailable } from '../../projections/view-store.ts';

/** How often a waiting reader asks the store, since another process may be the one that projects. */
const POLL_EVERY_MS = 20;
/** A view that is behind and does not move for so long is not well. */
export const UNHEALTHY_AFTER_MS = 10_000;

interface Seen {
  checkpoint: string | null;
  movedAtMs: number;
  /** Since when the head is known to be ahead of a checkpoint that does not move. */
  behindSinceMs: number | null;
}

interface Waiter {
  readonly view: string;
  readonly position: string;
  readonly settle: (reached: boolean) => void;
  readonly fail: (error: unknown) => void;
}

export interface Movement {
  readonly idleMs: number;
  readonly behindMs: number;
}

export interface ViewProgress {
  /**
   * True once the live generation stands at the position; false after the time, or when the view stands still.
   * @throws whatever keeps the store from being asked, unless it is away
   */
  readonly reached: (view: string, position: string, timeoutMs: number) => Promise<boolean>;
  readonly moved: (view: string, checkpoint: string) => void;
  readonly observe: (head: string | null, generations: readonly GenerationStatus[]) => void;
  readonly movementOf: (view: string) => Movement;
  /** Lets everybody go who still waits. */
  readonly close: () => void;
  /** And from here on nobody waits: the process is about to stop. */
  readonly dismiss: () => void;
}

/** @param now in Unix milliseconds */
export function viewProgress(views: ViewStore, now: () => number): ViewProgress {
  const seen = new Map<string, Seen>();
  const waiters = new Set<Waiter>();
  /** Whether this process projects: then it is told of each movement, and need not ask at once. */
  let isFedHere = false;
  let isDismissed = false;
  let poll: NodeJS.Timeout | undefined;

  const note = (view: string, checkpoint: string | null): Seen => {
    const known = seen.get(view) ?? { checkpoint, movedAtMs: now(), behindSinceMs: null };
    seen.set(view, known);
    if (known.checkpoint !== checkpoint) {
      known.checkpoint = checkpoint;
      known.movedAtMs = now();
      known.behindSinceMs = null;
    }
    return known;
  };
  /** Of the live generations alone; the place of one that was lost says nothing of the next. */
  const noteLive = (live: readonly GenerationStatus[]): void => {
    for (const { view, checkpoint } of live) note(view, checkpoint);
    for (const view of seen.keys()) if (!live.some((one) => one.view === view)) seen.delete(view);
  };
  const stands = (view: string, position: string): boolean => {
    const checkpoint = seen.get(view)?.checkpoint ?? null;
    return checkpoint !== null && checkpoint >= position;
  };
  const wake = (): void => {
    for (const waiter of waiters) if (stands(waiter.view, waiter.position)) waiter.settle(true);
  };
  const look = async (): Promise<void> => {
    const generations = await views.status();
    noteLive(generations.filter((one) => one.live));
    wake();
    for (const waiter of waiters) if (standsStill(waiter.view, generations)) waiter.settle(false);
  };
  const stopPolling = (): void => {
    clearInterval(poll);
    poll = undefined;
  };
  const lookAgain = (): void => {
    look().catch((error: unknown) => {
      // A store that is away may answer the next time; the waiter's own time ends the waiting. Anything else is a bug.
      if (error instanceof ViewsUnavailable) return;
      for (const waiter of waiters) waiter.fail(error);
    });
  };
  const wait = (view: string, position: string, timeoutMs: number): Promise<boolean> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => waiter.settle(false), timeoutMs);
      const leave = (): void => {
        clearTimeout(timer);
        waiters.delete(waiter);
        if (waiters.size === 0) stopPolling();
      };
      const waiter: Waiter = {
        view,
        position,
        settle(reached) {
          leave();
          resolve(reached);
        },
        fail(error) {
          leave();
          reject(error);
        },
      };
      waiters.add(waiter);
      poll ??= setInterval(lookAgain, POLL_EVERY_MS);
      if (!isFedHere) lookAgain();
    });

  const close = (): void => {
    for (const waiter of waiters) waiter.settle(false);
  };

  return {
    async reached(view, position, timeoutMs) {
      return stands(view, position) || (!isDismissed && wait(view, position, timeoutMs));
    },
    moved(view, checkpoint) {
      isFedHere = true;
      note(view, checkpoint);
      wake();
    },
    observe(head, generations) {
      const live = generations.filter((one) => one.live);
      noteLive(live);
      for (const { view, checkpoint } of live) {
        const known = note(view, checkpoint);
        const isBehind = head !== null && (checkpoint === null || checkpoint < head);
        known.behindSinceMs = isBehind ? (known.behindSinceMs ?? now()) : null;
      }
      wake();
    },
    movementOf(view) {
      const known = seen.get(view);
      if (known === undefined) return { idleMs: 0, behindMs: 0 };
      const { movedAtMs, behindSinceMs } = known;
      return { idleMs: now() - movedAtMs, behindMs: behindSinceMs === null ? 0 : now() - behindSinceMs };
    },
    close,
    dismiss() {
      isDismissed = true;
      close();
    },
  };
}

/** Whether the generation that is read stands still, or where none is, one that was to be. */
function standsStill(view: string, generations: readonly GenerationStatus[]): boolean {
  const own = generations.filter((one) => one.view === view);
  const live = own.filter((one) => one.live);
  return (live.length > 0 ? live : own).some((one) => one.stuck !== null);
}

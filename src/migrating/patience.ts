/** A migration takes minutes, in which a server may be restarted or a cluster elect: it waits for a log that is away. */
import { setTimeout as pause } from 'node:timers/promises';
import { OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';

export interface Patience {
  /** How long a log may be away at a time. */
  readonly patienceMs: number;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

export interface Waiting {
  /** To be told of each failure: resolves when it is time to try again. @throws the failure, where that is no use */
  readonly after: (failure: unknown) => Promise<void>;
  /** To be told that something went well. */
  readonly isOver: () => void;
}

const PAUSE_MS = 250;

export function waiting({ patienceMs, signal }: Patience): Waiting {
  let sinceMs: number | undefined;
  return {
    async after(failure) {
      sinceMs ??= performance.now();
      if (signal.aborted || !mayPass(failure) || performance.now() - sinceMs >= patienceMs) throw failure;
      // Ended by the signal it fails with the signal's reason, as the next try would.
      await pause(PAUSE_MS, undefined, { signal });
    },
    isOver() {
      sinceMs = undefined;
    },
  };
}

/** Its kinds name what only a person can mend. */
function mayPass(failure: unknown): boolean {
  const isAway = failure instanceof StoreUnavailable && failure.name === 'StoreUnavailable';
  return isAway || failure instanceof OutcomeUnknown;
}

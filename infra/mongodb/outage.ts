/**
 * The time from a silence of the engine to its next answer. Meanwhile nobody waits for it: a request that asks several
 * times would wait for each. The engine is asked whether it is back beside all that, one ping after the other.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { MongoNetworkTimeoutError, MongoServerSelectionError } from 'mongodb';

/** No answer came within the deadline. */
export class Silence extends Error {
  override readonly name = 'Silence';
}

export interface Outage {
  /** Why the engine counts as away; undefined while it answers. */
  readonly cause: () => Error | undefined;
  /**
   * To be told of each failed call.
   * @param askedAtMs by the clock of `performance.now()`
   */
  readonly suspect: (error: unknown, askedAtMs: number) => void;
  /** Asks no more. */
  readonly end: () => void;
}

const PING_EVERY_MS = 250;
/** An engine that is away lets each wait for seconds. */
const PINGS_OF_A_CONNECTION = 3;

export interface OutageParts {
  /** Resolves with the engine's answer. */
  readonly ping: () => Promise<unknown>;
  /** Makes the connection anew, as long as the signal is not aborted. */
  readonly connectAnew: (signal: AbortSignal) => Promise<unknown>;
}

/** Both promises end within a deadline. */
export function outage({ ping, connectAnew }: OutageParts): Outage {
  const over = new AbortController();
  let cause: Error | undefined;
  let answeredAtMs = Number.NEGATIVE_INFINITY;

  const waitForAnswer = async (): Promise<void> => {
    for (let pings = 0; !over.signal.aborted; pings += 1) {
      try {
        if (pings > 0 && pings % PINGS_OF_A_CONNECTION === 0) await connectAnew(over.signal);
        await ping();
        answeredAtMs = performance.now();
        cause = undefined;
        return;
      } catch {
        // It keeps no process alive, and ends early only when nobody waits any more.
        await pause(PING_EVERY_MS, undefined, { signal: over.signal, ref: false }).catch(() => {});
      }
    }
  };

  return {
    cause: () => cause,
    suspect(error, askedAtMs) {
      // Who asked before the last answer has waited for a connection that is gone.
      if (!isSilence(error) || askedAtMs < answeredAtMs || cause !== undefined) return;
      cause = error;
      void waitForAnswer();
    },
    end: () => over.abort(),
  };
}

/** A broken connection is none: the next one may be made at once. */
function isSilence(error: unknown): error is Error {
  return (
    error instanceof Silence ||
    error instanceof MongoServerSelectionError ||
    error instanceof MongoNetworkTimeoutError
  );
}

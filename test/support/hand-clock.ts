/** A clock that stands still until a test moves it: what waits for a moment goes on when the hand has come there. */
import type { LeaseClock } from '../../src/background/lease-claim.ts';

export interface HandClock extends LeaseClock {
  /** Moves the hand, and stops at each moment that is waited for until nothing more happens there. */
  readonly advance: (ms: number) => Promise<void>;
}

interface Waiter {
  readonly atMs: number;
  readonly wake: () => void;
}

/** So many turns of the event loop let everything happen that a moment leads to without waiting again. */
const TURNS = 5;

export function handClock(): HandClock {
  let nowMs = 0;
  const waiters = new Set<Waiter>();

  async function settle(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn += 1) await new Promise(setImmediate);
  }

  return {
    nowMs: () => nowMs,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const waiter = { atMs: nowMs + ms, wake: () => end() };
        const end = (): void => {
          waiters.delete(waiter);
          signal.removeEventListener('abort', end);
          resolve();
        };
        waiters.add(waiter);
        signal.addEventListener('abort', end);
      }),
    async advance(ms) {
      const targetMs = nowMs + ms;
      await settle();
      for (;;) {
        const [next] = [...waiters].sort((a, b) => a.atMs - b.atMs);
        if (next === undefined || next.atMs > targetMs) break;
        nowMs = Math.max(nowMs, next.atMs);
        next.wake();
        await settle();
      }
      nowMs = targetMs;
    },
  };
}

/**
 * Reads of views hold the event loop, a list with rare filters for some milliseconds. Of those that come at once, some
 * run in each of its rounds, for a few milliseconds together; the others wait for the next, and accounts take turns. So
 * whoever has a hundred searches under way holds up its own.
 */
import { createRotation } from '../ports/rotation.ts';

export interface FairTurns {
  /** Undefined: go on at once. */
  readonly turnOf: (accountId: string) => Promise<void> | undefined;
}

const ROUND_MS = 4;

export function createFairTurns(nowMs: () => number = () => performance.now()): FairTurns {
  const waiting = createRotation<() => void>();
  /** When the round began; null before anybody came in it. */
  let begunMs: number | null = null;
  /** One was let go that has not run yet: how long it takes is not known. */
  let isUnderWay = false;

  const isOver = (): boolean => begunMs !== null && nowMs() - begunMs >= ROUND_MS;

  function letGo(): void {
    if (begunMs === null) {
      begunMs = nowMs();
      setImmediate(endRound);
    }
    isUnderWay = true;
    // It runs as far as it can before the next is looked at: all microtasks come before a tick.
    queueMicrotask(() => process.nextTick(look));
  }
  function look(): void {
    isUnderWay = false;
    goOn();
  }
  function endRound(): void {
    begunMs = null;
    goOn();
  }
  function goOn(): void {
    const next = isUnderWay || isOver() ? undefined : waiting.take();
    if (next === undefined) return;
    letGo();
    next();
  }

  return {
    turnOf(accountId) {
      if (isUnderWay || isOver()) return new Promise((resolve) => waiting.put(accountId, resolve));
      letGo();
      return undefined;
    },
  };
}

/** The Limiter port in this process's memory. */
import type { Limiter, Verdict } from '../../src/ports/limiter.ts';

interface Window {
  endsAtMs: number;
  taken: number;
}

/** About 10 MB when full. Whoever is forgotten for it gets a new window, which errs on the side of letting through. */
const MAX_KEYS = 100_000;

/** Rids itself of at most this many ended windows per request, so that no request pays for many. */
const MAX_SWEEP = 4;

export function createMemoryLimiter(windowSeconds: number, maxKeys: number = MAX_KEYS): Limiter {
  /** All windows are equally long, so that the order of insertion is the order in which they end. */
  const windows = new Map<string, Window>();
  const windowMs = windowSeconds * 1_000;

  const open = (key: string, nowMs: number): Window => {
    sweep(windows, nowMs, maxKeys);
    windows.delete(key);
    const window = { endsAtMs: nowMs + windowMs, taken: 0 };
    windows.set(key, window);
    return window;
  };

  return {
    windowSeconds,
    take(key, limit, nowMs): Promise<Verdict> {
      const known = windows.get(key);
      // A window that ends later than a new one would was opened before the clock was set back.
      const isOpen = known && nowMs < known.endsAtMs && known.endsAtMs <= nowMs + windowMs;
      const window = isOpen ? known : open(key, nowMs);
      const allowed = window.taken < limit;
      if (allowed) window.taken += 1;
      const remaining = Math.max(0, limit - window.taken);
      return Promise.resolve({ allowed, remaining, resetMs: window.endsAtMs - nowMs });
    },
  };
}

/** Drops ended windows, oldest first, and the oldest of all when there is no room for one more. */
function sweep(windows: Map<string, Window>, nowMs: number, maxKeys: number): void {
  let swept = 0;
  for (const [key, window] of windows) {
    const isFull = windows.size >= maxKeys;
    if (swept >= MAX_SWEEP || (nowMs < window.endsAtMs && !isFull)) return;
    windows.delete(key);
    swept += 1;
  }
}

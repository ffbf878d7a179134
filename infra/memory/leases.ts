/** The Leases port in this process's memory: for tests, and as the model that the shared adapters are held to. */
import type { Leases } from '../../src/ports/leases.ts';

interface Lease {
  readonly holder: string;
  readonly endsAtMs: number;
}

/** `now` is any clock that never runs backwards, in milliseconds. */
export function createMemoryLeases(now: () => number = () => performance.now()): Leases {
  const held = new Map<string, Lease>();
  return {
    async take(name, holder, ttlMs) {
      const known = held.get(name);
      if (known !== undefined && known.holder !== holder && now() < known.endsAtMs) return false;
      held.set(name, { holder, endsAtMs: now() + ttlMs });
      return true;
    },
    async release(name, holder) {
      if (held.get(name)?.holder === holder) held.delete(name);
    },
  };
}

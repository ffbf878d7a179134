/** One holder's dealings with the engine of a lease: every answer is awaited for a bounded time, by our own clock. */
import { type Leases, LeasesUnavailable } from '../ports/leases.ts';
import { rest } from '../timing/rest.ts';

export interface LeaseClock {
  /** Milliseconds since any moment; never runs backwards. */
  readonly nowMs: () => number;
  /** Resolves after the time, or at the signal. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

export const systemClock: LeaseClock = { nowMs: () => performance.now(), wait: rest };

export type LeaseAnswer =
  /** Until then by our clock, counted from before it was asked for. */
  | { readonly kind: 'ours'; readonly endsAtMs: number }
  | { readonly kind: 'others' }
  /** The engine refused, or did not answer in time. */
  | { readonly kind: 'unknown' };

export interface LeaseClaim {
  /** Takes the lease, anew where it is ours already. */
  readonly ask: (withinMs: number) => Promise<LeaseAnswer>;
  /** Does nothing where the lease is surely not ours. */
  readonly giveBack: (withinMs: number) => Promise<void>;
}

export interface LeaseClaimParts {
  readonly leases: Leases;
  readonly name: string;
  readonly holder: string;
  readonly ttlMs: number;
  readonly clock: LeaseClock;
  readonly onAway: (error: unknown) => void;
}

export function leaseClaim({ leases, name, holder, ttlMs, clock, onAway }: LeaseClaimParts): LeaseClaim {
  /** Also where it is not known: what was asked for may have been given after we had stopped listening. */
  let mayBeOurs = false;
  return {
    async ask(withinMs) {
      const askedAtMs = clock.nowMs();
      mayBeOurs = true;
      try {
        mayBeOurs = await answered(clock, leases.take(name, holder, ttlMs), withinMs);
        return mayBeOurs ? { kind: 'ours', endsAtMs: askedAtMs + ttlMs } : { kind: 'others' };
      } catch (error) {
        onAway(error);
        return { kind: 'unknown' };
      }
    },
    async giveBack(withinMs) {
      if (!mayBeOurs) return;
      try {
        await answered(clock, leases.release(name, holder), withinMs);
        mayBeOurs = false;
      } catch (error) {
        onAway(error);
      }
    },
  };
}

async function answered<Value>(clock: LeaseClock, answer: Promise<Value>, withinMs: number): Promise<Value> {
  const settled = new AbortController();
  const silence = clock.wait(withinMs, settled.signal).then((): never => {
    throw new LeasesUnavailable(`no answer within ${Math.round(withinMs)} ms`);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    settled.abort();
  }
}

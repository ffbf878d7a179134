/**
 * Does work that only one process may do at a time. Whoever waits looks for the lease again and again; whoever has it
 * works and takes it anew. Where that fails, the work is told to stop while the lease still holds by our own clock:
 * two never work at once, even when the engine of the leases is silent.
 *
 * What this cannot hold: work that does not stop in time (`overrun`), and a process that is halted as a whole, which
 * learns of the time only when it goes on. Against both, the work's own guards must stand.
 */
import type { Leases } from '../ports/leases.ts';
import { type LeaseClaim, type LeaseClock, leaseClaim, systemClock } from './lease-claim.ts';

export type LeaseError =
  /** The engine refused, or did not answer in time. It is asked again. */
  | { readonly kind: 'away'; readonly error: unknown }
  /** The lease could not be taken anew in time, or another has it: the work has been told to stop. */
  | { readonly kind: 'lost' }
  /** The work has not stopped although the lease is over: somebody else may be at it too. */
  | { readonly kind: 'overrun' }
  /** The work failed. It is begun anew, here or elsewhere. */
  | { readonly kind: 'failed'; readonly error: unknown };

export interface LeaseParts {
  readonly leases: Leases;
  readonly name: string;
  /** This one holder among all processes; no other ever uses it. */
  readonly holder: string;
  /** A holder that is not heard of is replaced within one and a half times this. */
  readonly ttlMs: number;
  /** The work, which ends within a quarter of `ttlMs` after the signal. Ended by itself, it is begun anew. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  readonly onError: (error: LeaseError) => void;
  readonly clock?: LeaseClock;
}

export interface LeaseHolder {
  /** Whether the work is done here now. */
  readonly isHolding: () => boolean;
  /** Resolves when the work has ended and the lease is given back, so that a successor need not wait. */
  readonly stop: () => Promise<void>;
}

export function holdLease(parts: LeaseParts): LeaseHolder {
  const { ttlMs, onError, clock = systemClock } = parts;
  const claim = leaseClaim({ ...parts, clock, onAway: (error) => onError({ kind: 'away', error }) });
  const quarterMs = ttlMs / 4;
  const stopping = new AbortController();
  let tenure: Tenure | null = null;

  async function holdUntilStopped(): Promise<void> {
    while (!stopping.signal.aborted) {
      const answer = await claim.ask(quarterMs);
      if (answer.kind === 'ours' && !stopping.signal.aborted) {
        tenure = workUnder(claim, answer.endsAtMs, { ...parts, clock });
        await tenure.ended;
        tenure = null;
        await claim.giveBack(quarterMs);
      }
      // Spread, so that those who wait do not all come at once.
      await clock.wait(quarterMs * (0.75 + Math.random() / 2), stopping.signal);
    }
    await claim.giveBack(quarterMs);
  }

  const finished = holdUntilStopped();
  return {
    isHolding: () => tenure !== null,
    async stop() {
      stopping.abort();
      tenure?.tellToStop();
      await finished;
    },
  };
}

/** One time of working under the lease. */
interface Tenure {
  readonly tellToStop: () => void;
  /** Resolves when the work has ended. Until then the lease is taken anew, also while the work is stopping. */
  readonly ended: Promise<void>;
}

function workUnder(
  claim: LeaseClaim,
  firstEndMs: number,
  { ttlMs, run, onError, clock }: LeaseParts & { readonly clock: LeaseClock },
): Tenure {
  const quarterMs = ttlMs / 4;
  const afterErrorMs = ttlMs / 12;
  const told = new AbortController();
  const ended = new AbortController();

  async function work(): Promise<void> {
    try {
      await run(told.signal);
    } catch (error) {
      onError({ kind: 'failed', error });
    } finally {
      ended.abort();
    }
  }

  function lose(): void {
    if (!told.signal.aborted) onError({ kind: 'lost' });
    told.abort();
  }

  async function keep(): Promise<void> {
    let endsAtMs = firstEndMs;
    let pauseMs = quarterMs;
    while (!ended.signal.aborted && clock.nowMs() < endsAtMs) {
      const stopAtMs = endsAtMs - quarterMs;
      if (clock.nowMs() >= stopAtMs) lose();
      const untilMs = told.signal.aborted ? endsAtMs : stopAtMs;
      await clock.wait(Math.min(pauseMs, untilMs - clock.nowMs()), ended.signal);
      const leftMs = untilMs - clock.nowMs();
      if (ended.signal.aborted || leftMs <= 0) continue;
      const answer = await claim.ask(Math.min(quarterMs, leftMs));
      if (answer.kind === 'ours') endsAtMs = answer.endsAtMs;
      if (answer.kind === 'others') endsAtMs = clock.nowMs();
      pauseMs = answer.kind === 'unknown' ? afterErrorMs : quarterMs;
    }
    if (ended.signal.aborted) return;
    lose();
    await clock.wait(quarterMs, ended.signal);
    if (!ended.signal.aborted) onError({ kind: 'overrun' });
  }

  return {
    tellToStop: () => told.abort(),
    ended: Promise.all([work(), keep()]).then(() => {}),
  };
}

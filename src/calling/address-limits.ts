/** Limits by the client's address: on public reads, on credentials that are not ours, and on posts without a key. */
import { refuse, type Refusal } from '../operations/refusals.ts';
import type { Limiter } from '../ports/limiter.ts';
import type { CountedFailure } from './caller.ts';
import type { LimitResult } from './limits.ts';

export interface AddressBounds {
  /** Public reads, in the limiter's window. */
  readonly reads: number;
  /** Keys, tokens and signatures that are not ours, in the limiter's window. */
  readonly failedCredentials: number;
  /** Posts with a token that is ours and no key, in the limiter's window. */
  readonly posts: number;
}

/** `client` is the address that a limit counts by; `nowMs` is Unix time in milliseconds. */
export interface AddressLimits {
  /** Counts one public read. */
  readonly read: (client: string, nowMs: number) => Promise<LimitResult>;
  /** What somebody is told whose credential is not ours: `refusal`, until it has come too often. */
  readonly failed: (client: string, nowMs: number, refusal: Refusal) => Promise<CountedFailure>;
  /** Counts one post; the refusal once there are too many. */
  readonly posted: (client: string, nowMs: number) => Promise<Refusal | null>;
}

export function createAddressLimits(limiter: Limiter, bounds: AddressBounds): AddressLimits {
  const { windowSeconds } = limiter;
  const tooMany = (limit: number, what: string, resetSeconds: number): Refusal =>
    refuse(
      'rate_limited',
      `At most ${limit} ${what} in ${windowSeconds} seconds; try again in ${resetSeconds} s.`,
      { retryAfterSeconds: resetSeconds },
    ).refusal;
  return {
    async read(client, nowMs) {
      const limit = bounds.reads;
      const { allowed, remaining, resetMs } = await limiter.take(client, limit, nowMs);
      const resetSeconds = Math.ceil(resetMs / 1_000);
      const resetAtSeconds = Math.floor(nowMs / 1_000) + resetSeconds;
      return {
        states: [{ name: 'public', limit, windowSeconds, remaining, resetSeconds, resetAtSeconds }],
        refusal: allowed ? null : tooMany(limit, 'public reads', resetSeconds),
      };
    },
    async failed(client, nowMs, refusal) {
      const limit = bounds.failedCredentials;
      const { allowed, remaining, resetMs } = await limiter.take(`failed ${client}`, limit, nowMs);
      const resetSeconds = Math.ceil(resetMs / 1_000);
      const resetAtSeconds = Math.floor(nowMs / 1_000) + resetSeconds;
      return {
        states: [{ name: 'failures', limit, windowSeconds, remaining, resetSeconds, resetAtSeconds }],
        refusal: allowed ? refusal : tooMany(limit, 'credentials that are not valid', resetSeconds),
      };
    },
    async posted(client, nowMs) {
      const { allowed, resetMs } = await limiter.take(`posted ${client}`, bounds.posts, nowMs);
      return allowed ? null : tooMany(bounds.posts, 'posts', Math.ceil(resetMs / 1_000));
    },
  };
}

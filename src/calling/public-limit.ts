/** The limit on public reads, told to clients as draft-ietf-httpapi-ratelimit-headers has it. */
import type { IncomingMessage } from 'node:http';
import { refuse, type Refusal } from '../operations/refusals.ts';
import type { Limiter } from '../ports/limiter.ts';
import { clientKey } from '../transport/client-address.ts';

/** What a limit says of itself, and its no once it is reached. */
export interface LimitResult {
  readonly headers: readonly string[];
  readonly refusal: Refusal | null;
}

export type PublicLimit = (req: IncomingMessage, nowMs: number) => Promise<LimitResult>;

export function createPublicLimit(limiter: Limiter, limit: number, trustedHops: number): PublicLimit {
  const policy = `"public";q=${limit};w=${limiter.windowSeconds}`;
  return async (req, nowMs) => {
    const { allowed, remaining, resetMs } = await limiter.take(clientKey(req, trustedHops), limit, nowMs);
    const resetSeconds = Math.ceil(resetMs / 1_000);
    const headers = ['RateLimit-Policy', policy, 'RateLimit', `"public";r=${remaining};t=${resetSeconds}`];
    if (allowed) return { headers, refusal: null };
    return { headers, refusal: tooMany(limit, limiter.windowSeconds, resetSeconds) };
  };
}

function tooMany(limit: number, windowSeconds: number, retryAfterSeconds: number): Refusal {
  return refuse(
    'rate_limited',
    `At most ${limit} public reads in ${windowSeconds} seconds; try again in ${retryAfterSeconds} s.`,
    {
      retryAfterSeconds,
    },
  ).refusal;
}

/** Limits by client address beside that on public reads: on credentials that are not ours, and on posts without a key. */
import type { IncomingMessage } from 'node:http';
import { refuse, type Refusal } from '../operations/refusals.ts';
import type { Limiter } from '../ports/limiter.ts';
import { clientKey } from '../transport/client-address.ts';

export interface AddressBounds {
  /** Keys, tokens and signatures that are not ours, in the limiter's window. */
  readonly failedCredentials: number;
  /** Posts with a token that is ours and no key, in the limiter's window. */
  readonly posts: number;
}

export interface AddressLimits {
  /** What somebody is told whose credential is not ours: `refusal`, until it has come too often. */
  readonly failed: (req: IncomingMessage, nowMs: number, refusal: Refusal) => Promise<Refusal>;
  /** Counts one post; the refusal once there are too many. */
  readonly posted: (req: IncomingMessage, nowMs: number) => Promise<Refusal | null>;
}

export function createAddressLimits(
  limiter: Limiter,
  bounds: AddressBounds,
  trustedHops: number,
): AddressLimits {
  const take = async (
    what: string,
    req: IncomingMessage,
    limit: number,
    nowMs: number,
    say: string,
  ): Promise<Refusal | null> => {
    const verdict = await limiter.take(`${what} ${clientKey(req, trustedHops)}`, limit, nowMs);
    if (verdict.allowed) return null;
    const retryAfterSeconds = Math.ceil(verdict.resetMs / 1_000);
    const message = `${say} in ${limiter.windowSeconds} seconds; try again in ${retryAfterSeconds} s.`;
    return refuse('rate_limited', message, { retryAfterSeconds }).refusal;
  };
  return {
    failed: async (req, nowMs, refusal) =>
      (await take(
        'failed',
        req,
        bounds.failedCredentials,
        nowMs,
        `At most ${bounds.failedCredentials} credentials that are not valid`,
      )) ?? refusal,
    posted: (req, nowMs) => take('posted', req, bounds.posts, nowMs, `At most ${bounds.posts} posts`),
  };
}

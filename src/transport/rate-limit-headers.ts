/** Limits told to clients as draft-ietf-httpapi-ratelimit-headers has it. */
import type { LimitState } from '../calling/limits.ts';

/** A flat list of names and values; empty where nothing was counted. */
export function rateLimitHeaders(states: readonly LimitState[]): readonly string[] {
  if (states.length === 0) return [];
  const policies = states.map(({ name, limit, windowSeconds }) => `"${name}";q=${limit};w=${windowSeconds}`);
  const left = states.map(
    ({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`,
  );
  return ['RateLimit-Policy', policies.join(', '), 'RateLimit', left.join(', ')];
}

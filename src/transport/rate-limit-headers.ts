/** Limits told to clients as draft-ietf-httpapi-ratelimit-headers has it, and those of the Data API in the older form too. */
import type { LimitState } from '../calling/limits.ts';

/** A flat list of names and values; empty where nothing was counted. */
export function rateLimitHeaders(states: readonly LimitState[]): readonly string[] {
  if (states.length === 0) return [];
  const policies = states.map(({ name, limit, windowSeconds }) => `"${name}";q=${limit};w=${windowSeconds}`);
  const left = states.map(
    ({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`,
  );
  const headers = ['RateLimit-Policy', policies.join(', '), 'RateLimit', left.join(', ')];
  const month = states.find(({ name }) => name === 'month');
  const rate = states.find(({ name }) => name !== 'month');
  if (month === undefined || rate === undefined) return headers;
  return [...headers, ...olderForm('X-RateLimit', rate), ...olderForm('X-Quota', month)];
}

function olderForm(prefix: string, { limit, remaining, resetAtSeconds = 0 }: LimitState): readonly string[] {
  return [
    `${prefix}-Limit`,
    String(limit),
    `${prefix}-Remaining`,
    String(remaining),
    `${prefix}-Reset`,
    String(resetAtSeconds),
  ];
}

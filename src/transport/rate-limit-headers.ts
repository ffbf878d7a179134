/** Limits told to clients as draft-ietf-httpapi-ratelimit-headers has it, and those of the Data API in the older form too. */
import type { LimitState } from '../calling/limits.ts';

/** Adds names and values to a flat list; nothing where nothing was counted. */
export function pushRateLimits(headers: string[], states: readonly LimitState[]): void {
  if (states.length === 0) return;
  let [policies, left] = ['', ''];
  for (const { name, limit, windowSeconds, remaining, resetSeconds } of states) {
    const comma = policies === '' ? '' : ', ';
    policies += `${comma}"${name}";q=${limit};w=${windowSeconds}`;
    left += `${comma}"${name}";r=${remaining};t=${resetSeconds}`;
  }
  headers.push('RateLimit-Policy', policies, 'RateLimit', left);
  const month = states.find(({ name }) => name === 'month');
  const rate = states.find(({ name }) => name !== 'month');
  if (month === undefined || rate === undefined) return;
  headers.push(...olderForm('X-RateLimit', rate), ...olderForm('X-Quota', month));
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

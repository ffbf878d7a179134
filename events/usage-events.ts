/**
 * Checkpoints of what an account has used of its quota: one stream `usage-{accountId}-{period}` for each month. The
 * counts themselves are state of the meter; an engine that lost them goes on from here.
 */
import { z } from 'zod';
import { defineEvent, type FactOf } from './event.ts';
import { idSchema } from './ids.ts';
import { periodSchema } from './period.ts';

const count = z.int().min(0);

/** Both only grow within a month, so that of two readings the larger ones are the later. */
export const usageTotals = z.strictObject({
  /** Requests that were counted. */
  counted: count,
  /** Those of them that cost nothing in the end, and were given back. */
  returned: count,
});

export const usageEvents = [
  defineEvent({
    type: 'UsageCheckpointed',
    summary:
      'What the meter had counted for an account in a month; kept every few minutes of use. The last one is the total of the month.',
    data: z.strictObject({
      accountId: idSchema('account'),
      period: periodSchema,
      totals: usageTotals,
    }),
    example: {
      accountId: 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy',
      period: '2026-11',
      totals: { counted: 4_711, returned: 12 },
    },
  }),
] as const;

export type UsageFact = FactOf<(typeof usageEvents)[number]>;
export type UsageTotals = z.output<typeof usageTotals>;

/** Of two readings of one month what both know: each count only grows. */
export function laterTotals(one: UsageTotals, other: UsageTotals): UsageTotals {
  return {
    counted: Math.max(one.counted, other.counted),
    returned: Math.max(one.returned, other.returned),
  };
}

/** Whether one reading of a month knows of anything that the other does not. */
export function exceeds(one: UsageTotals, other: UsageTotals): boolean {
  return one.counted > other.counted || one.returned > other.returned;
}

/** What a month has cost of its quota: no less than nothing, also of two readings of which each knew of more. */
export function usedOf({ counted, returned }: UsageTotals): number {
  return Math.max(0, counted - returned);
}

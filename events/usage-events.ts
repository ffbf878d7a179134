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

const usage = { accountId: idSchema('account'), period: periodSchema, totals: usageTotals };
const example = {
  accountId: 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy',
  period: '2026-11',
  totals: { counted: 4_711, returned: 12 },
};

export const usageEvents = [
  defineEvent({
    type: 'UsageCheckpointed',
    version: 1,
    summary: 'What the meter had counted for an account in a month so far; kept every few minutes of use.',
    data: z.strictObject(usage),
    example,
  }),
  defineEvent({
    type: 'UsageMonthClosed',
    version: 1,
    summary: 'What an account used in a month that is over: its total.',
    data: z.strictObject(usage),
    example,
  }),
] as const;

export type UsageFact = FactOf<(typeof usageEvents)[number]>;
export type UsageTotals = z.output<typeof usageTotals>;

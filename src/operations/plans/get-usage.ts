import { z } from 'zod';
import { PLANS } from '../../../commands/subscription/plans.ts';
import { usedOf } from '../../../events/usage-events.ts';
import { endOfPeriodMs, periodSchema } from '../../../events/period.ts';
import { planNameSchema } from '../../../events/plan.ts';
import { defineOperation } from '../operation.ts';
import { refuse } from '../refusals.ts';
import { countField, momentField } from '../../../projections/public-fields.ts';
import { exampleFrom } from '../example-from.ts';

const usageSchema = z
  .strictObject({
    plan: planNameSchema.meta({ description: 'The plan of the account.', example: 'starter' }),
    period: periodSchema.meta({
      description: 'The month that the quota is of, in UTC.',
      example: '2026-11',
    }),
    minute: z
      .strictObject({
        limit: countField('Requests in any 60 seconds.', PLANS.starter.perMinute),
        used: countField('Requests in the last 60 seconds, this one included.', 1),
        remaining: countField('How many more may come now.', PLANS.starter.perMinute - 1),
        resetAt: momentField('When the next of them leaves the minute.', '2026-11-27T09:31:00.000Z'),
      })
      .meta({ id: 'MinuteUsage', description: 'The rate, which is of any 60 seconds.' }),
    month: z
      .strictObject({
        limit: countField('Requests in the month.', PLANS.starter.perMonth),
        used: countField('Requests that cost quota.', 4_699),
        remaining: countField('How many more may come this month.', PLANS.starter.perMonth - 4_699),
        resetAt: momentField('When the next month begins.', '2026-12-01T00:00:00.000Z'),
      })
      .meta({ id: 'MonthUsage', description: 'The quota of the month.' }),
    refused: z
      .strictObject({
        rateLimited: countField('Refused because the minute was full.', 3),
        quotaExceeded: countField('Refused because the quota was used up.', 0),
      })
      .meta({ id: 'RefusedUsage', description: 'Requests of the month that got 429, which cost nothing.' }),
  })
  .meta({ id: 'Usage', description: 'What an account has used of its plan.' });

export const getUsage = defineOperation({
  name: 'getUsage',
  summary: 'What your account has used of its plan.',
  description:
    'The numbers that requests are admitted by, of all keys of the account together. It costs no quota, and counts in the minute.',
  tag: 'data',
  kind: 'query',
  scope: 'data:read',
  metered: 'minute',
  input: z.strictObject({}),
  output: usageSchema,
  refusals: [],
  example: { input: {}, output: exampleFrom(usageSchema) },
  async run(_input, { caller, at }, { metering }) {
    const usage = await metering.usage(caller.accountId, at);
    if (usage === null) return refuse('plan_required', 'The account has no plan any more.');
    const { plan, reading } = usage;
    const { minute, month, refused } = reading;
    const used = usedOf(month.totals);
    return {
      ok: true,
      data: {
        plan: plan.name,
        period: month.period,
        minute: {
          limit: plan.perMinute,
          used: minute.used,
          remaining: Math.max(0, plan.perMinute - minute.used),
          resetAt: new Date(minute.resetAtMs).toISOString(),
        },
        month: {
          limit: plan.perMonth,
          used,
          remaining: Math.max(0, plan.perMonth - used),
          resetAt: new Date(endOfPeriodMs(month.period)).toISOString(),
        },
        refused: { rateLimited: refused.minute, quotaExceeded: refused.month },
      },
    };
  },
});

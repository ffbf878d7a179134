/** Which plan of the Directory Data API an account has: one stream `subscription-{accountId}`. */
import { z } from 'zod';
import { defineEvent, type FactOf } from './event.ts';
import { idSchema } from './ids.ts';
import { periodSchema } from './period.ts';
import { planNameSchema } from './plan.ts';

const accountId = idSchema('account');
const example = { accountId: 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy' };

export const subscriptionEvents = [
  defineEvent({
    type: 'PlanChosen',
    summary:
      'An account without a plan got one: its keys with `data:read` work from the next request on. What was used in the month before stays used.',
    data: z.strictObject({ accountId, plan: planNameSchema }),
    example: { ...example, plan: 'starter' },
  }),
  defineEvent({
    type: 'PlanChanged',
    summary: 'The plan of an account was exchanged for another: its limits hold from the next request on.',
    data: z.strictObject({ accountId, from: planNameSchema, plan: planNameSchema }),
    example: { ...example, from: 'starter', plan: 'pro' },
  }),
  defineEvent({
    type: 'PlanCancelled',
    summary: 'The account has no plan from the next request on; what was used in the month stays used.',
    data: z.strictObject({ accountId, plan: planNameSchema }),
    example: { ...example, plan: 'pro' },
  }),
  defineEvent({
    type: 'QuotaThresholdCrossed',
    summary:
      'The requests of a month came to 80 or 100 % of the quota, for the first time in that month with that quota; the account is notified.',
    data: z.strictObject({
      accountId,
      plan: planNameSchema,
      period: periodSchema,
      percent: z.int().min(1).max(100),
      limit: z.int().min(0),
      used: z.int().min(0),
    }),
    example: { ...example, plan: 'starter', period: '2026-11', percent: 80, limit: 10_000, used: 8_000 },
  }),
] as const;

export type SubscriptionFact = FactOf<(typeof subscriptionEvents)[number]>;

/** The plan of each account that has one. Asked for with every request of the Directory Data API. */
import { z } from 'zod';
import { planNameSchema } from '../events/plan.ts';
import { changes, defineProjection, on } from './projection.ts';

const subscriptionSchema = z.strictObject({
  accountId: z.string(),
  plan: planNameSchema,
  /** When the account got a plan, and when it got this one. */
  since: z.string(),
  changedAt: z.string(),
});
export type SubscriptionDocument = z.output<typeof subscriptionSchema>;

export const subscriptionsProjection = defineProjection<SubscriptionDocument>({
  name: 'subscriptions',
  version: 1,
  summary: 'The plan of each account that has one.',
  schema: subscriptionSchema,
  fields: { since: 'text', accountId: 'text' },
  orders: {
    '-since': [
      { field: 'since', direction: 'desc' },
      { field: 'accountId', direction: 'asc' },
    ],
  },
  index: ({ since, accountId }) => ({ since, accountId }),
  on: {
    PlanChosen: on('accountId', (_none, { data, at }) => ({ ...data, since: at, changedAt: at })),
    PlanChanged: changes('accountId', (_, { data, at }) => ({ plan: data.plan, changedAt: at })),
    PlanCancelled: on('accountId', () => undefined),
  },
});

/** Plans as operators see and set them, of any account. */
import { z } from 'zod';
import { PLANS } from '../../../commands/subscription/plans.ts';
import { type PlanName, planNameSchema } from '../../../events/plan.ts';
import { findAccount, type FoundAccount } from '../accounts/find-account.ts';
import { commandCall } from '../idempotency.ts';
import { defineOperation, type Outcome } from '../operation.ts';
import { changePlan, type PlanOfAccount, planOf } from './change-plan.ts';
import { nullableCountField, textField } from '../../../projections/public-fields.ts';

const accountInput = z
  .string()
  .max(80)
  .regex(/^(?:acc_[0-9a-z]{26}|[a-z0-9]+(?:-[a-z0-9]+)*)$/, 'must be the id of an account, or its handle')
  .meta({ description: 'The account, by its id or its handle.', example: 'acme-finance' });

const planSchema = z
  .strictObject({
    accountId: textField('The account.', 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy'),
    handle: textField('Its handle.', 'acme-finance'),
    plan: planNameSchema
      .nullable()
      .meta({ description: 'Its plan; null where it has none.', example: 'pro' }),
    perMinute: nullableCountField('Requests in any minute; null without a plan.', PLANS.pro.perMinute),
    perMonth: nullableCountField('Requests in a month; null without a plan.', PLANS.pro.perMonth),
  })
  .meta({ id: 'AccountPlan', description: 'The plan of the Data API that an account has.' });
type AccountPlan = z.output<typeof planSchema>;

const EXAMPLE_PLAN: PlanName = 'pro';
const example: AccountPlan = {
  accountId: 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy',
  handle: 'acme-finance',
  ...limitsOf(EXAMPLE_PLAN),
};

const ofOperators = { tag: 'operator', scope: 'operator:write', output: planSchema } as const;

export const getAccountPlan = defineOperation({
  ...ofOperators,
  name: 'getAccountPlan',
  summary: 'The plan that an account has.',
  description: 'As the log says now.',
  kind: 'query',
  input: z.strictObject({ account: accountInput }),
  refusals: ['not_found'],
  example: { input: { account: 'acme-finance' }, output: example },
  async run({ account: name }, { at }, services) {
    const account = await findAccount(services, name, at);
    if (!account.ok) return account;
    return { ok: true, data: show(account, await planOf(services, account.accountId, at)) };
  },
});

export const setAccountPlan = defineOperation({
  ...ofOperators,
  name: 'setAccountPlan',
  summary: 'Give an account a plan, or exchange the one it has.',
  description: 'It holds from the next request on. What the account has used stays used.',
  kind: 'command',
  input: z.strictObject({
    account: accountInput,
    plan: planNameSchema.meta({ description: 'Which.', example: 'pro' }),
  }),
  refusals: ['not_found', 'conflict', 'idempotency_mismatch'],
  example: { input: { account: 'acme-finance', plan: EXAMPLE_PLAN }, output: example },
  run: async ({ account, plan }, call, services) =>
    answer(await changePlan(services, account, { type: 'SetPlan', plan }, commandCall(call))),
});

export const cancelAccountPlan = defineOperation({
  ...ofOperators,
  name: 'cancelAccountPlan',
  summary: 'Take the plan of an account away at once.',
  description: 'Chosen again within the month, it is filled with nothing: what was used stays used.',
  kind: 'command',
  input: z.strictObject({ account: accountInput }),
  refusals: ['not_found', 'conflict', 'idempotency_mismatch'],
  example: { input: { account: 'acme-finance' }, output: { ...example, ...limitsOf(null) } },
  run: async ({ account }, call, services) =>
    answer(await changePlan(services, account, { type: 'CancelPlan' }, commandCall(call))),
});

function answer(changed: PlanOfAccount): Outcome<AccountPlan> {
  if (!changed.ok) return changed;
  return { ok: true, data: show(changed.account, changed.plan), replayed: changed.replayed };
}

function show({ accountId, handle }: FoundAccount, plan: PlanName | null): AccountPlan {
  return { accountId, handle, ...limitsOf(plan) };
}

function limitsOf(plan: PlanName | null) {
  if (plan === null) return { plan, perMinute: null, perMonth: null };
  const { perMinute, perMonth } = PLANS[plan];
  return { plan, perMinute, perMonth };
}

/**
 * The plan of an account. No command here touches what was used: that belongs to the account and its month, so that
 * changing a plan, or cancelling it and buying it again, refills nothing.
 */
import type { Occurred } from '../../events/event.ts';
import type { PlanName } from '../../events/plan.ts';
import type { SubscriptionFact } from '../../events/subscription-events.ts';
import { accept, assertNever, type Decider, type Decision, reject } from '../decider.ts';
import { PLANS } from './plans.ts';

export interface ChoosePlan {
  readonly type: 'ChoosePlan';
  readonly accountId: string;
  readonly plan: PlanName;
}

export interface ChangePlan {
  readonly type: 'ChangePlan';
  readonly plan: PlanName;
}

export interface CancelPlan {
  readonly type: 'CancelPlan';
}

/** What was used in a month has reached this share of the quota that it was counted against. */
export interface NoteQuotaThreshold {
  readonly type: 'NoteQuotaThreshold';
  readonly period: string;
  readonly percent: number;
  readonly limit: number;
  readonly used: number;
}

export type SubscriptionCommand = ChoosePlan | ChangePlan | CancelPlan | NoteQuotaThreshold;

/** The highest threshold that was crossed in the latest month, by quota. */
interface Crossed {
  readonly period: string;
  readonly percentByLimit: ReadonlyMap<number, number>;
}

export type Subscription = { readonly crossed: Crossed } & (
  | { readonly status: 'none' }
  | { readonly status: 'active'; readonly accountId: string; readonly plan: PlanName }
);

export type SubscriptionRejection =
  | { readonly kind: 'no_plan' }
  | { readonly kind: 'has_plan'; readonly plan: PlanName };

export const subscriptionDecider: Decider<
  Subscription,
  SubscriptionCommand,
  SubscriptionFact,
  SubscriptionRejection
> = {
  family: 'subscription',
  initial: { status: 'none', crossed: { period: '', percentByLimit: new Map() } },
  evolve,
  decide,
};

function evolve(subscription: Subscription, event: Occurred<SubscriptionFact>): Subscription {
  const { crossed } = subscription;
  switch (event.type) {
    case 'PlanChosen':
    case 'PlanChanged': {
      const { accountId, plan } = event.data;
      return { status: 'active', accountId, plan, crossed };
    }
    case 'PlanCancelled':
      return { status: 'none', crossed };
    case 'QuotaThresholdCrossed': {
      const { period, limit, percent } = event.data;
      const earlier = period === crossed.period ? crossed.percentByLimit : [];
      return {
        ...subscription,
        crossed: { period, percentByLimit: new Map([...earlier, [limit, percent]]) },
      };
    }
    default:
      return assertNever(event);
  }
}

function decide(
  command: SubscriptionCommand,
  subscription: Subscription,
): Decision<SubscriptionFact, SubscriptionRejection> {
  if (command.type === 'ChoosePlan') return choose(command, subscription);
  if (subscription.status === 'none') {
    // The plan was cancelled while its last requests were under way: there is nobody to tell.
    if (command.type === 'NoteQuotaThreshold') return accept();
    return reject({ kind: 'no_plan' });
  }
  const { accountId, plan } = subscription;
  switch (command.type) {
    case 'ChangePlan':
      if (command.plan === plan) return accept();
      return accept({ type: 'PlanChanged', data: { accountId, from: plan, plan: command.plan } });
    case 'CancelPlan':
      return accept({ type: 'PlanCancelled', data: { accountId, plan } });
    case 'NoteQuotaThreshold': {
      const { period, percent, limit, used } = command;
      const isOfPlan = limit === PLANS[plan].perMonth;
      if (!isOfPlan || isKnown(command, subscription.crossed)) return accept();
      const data = { accountId, plan, period, percent, limit, used };
      return accept({ type: 'QuotaThresholdCrossed', data });
    }
    default:
      return assertNever(command);
  }
}

function choose(
  { accountId, plan }: ChoosePlan,
  subscription: Subscription,
): Decision<SubscriptionFact, SubscriptionRejection> {
  if (subscription.status === 'none') return accept({ type: 'PlanChosen', data: { accountId, plan } });
  if (subscription.plan === plan) return accept();
  return reject({ kind: 'has_plan', plan: subscription.plan });
}

/** Whatever is given back and used again, a threshold is crossed once in a month with one quota. */
function isKnown({ period, percent, limit }: NoteQuotaThreshold, crossed: Crossed): boolean {
  if (period !== crossed.period) return period < crossed.period;
  return percent <= (crossed.percentByLimit.get(limit) ?? 0);
}

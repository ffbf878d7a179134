import { PLANS } from '../../commands/subscription/plans.ts';
import { type SubscriptionCommand, subscriptionDecider } from '../../commands/subscription/subscription.ts';
import type { Occurred } from '../../events/event.ts';
import type { PlanName } from '../../events/plan.ts';
import type { SubscriptionFact } from '../../events/subscription-events.ts';
import { scenarios } from '../support/given-when-then.ts';
import { AT, accountId } from '../support/sample-mandate.ts';

const given = scenarios(subscriptionDecider);
const at = (fact: SubscriptionFact): Occurred<SubscriptionFact> => ({ ...fact, at: AT });

const chosen = (plan: PlanName): SubscriptionFact => ({ type: 'PlanChosen', data: { accountId, plan } });
const changed = (from: PlanName, plan: PlanName): SubscriptionFact => {
  return { type: 'PlanChanged', data: { accountId, from, plan } };
};
const cancelled = (plan: PlanName): SubscriptionFact => {
  return { type: 'PlanCancelled', data: { accountId, plan } };
};
const choose = (plan: PlanName): SubscriptionCommand => ({ type: 'ChoosePlan', accountId, plan });
const change = (plan: PlanName): SubscriptionCommand => ({ type: 'ChangePlan', plan });
const cancel: SubscriptionCommand = { type: 'CancelPlan' };

const crossing = (percent: number, plan: PlanName = 'starter', period = '2026-11') => {
  const limit = PLANS[plan].perMonth;
  return { period, percent, limit, used: (limit * percent) / 100 };
};
const note = (...what: Parameters<typeof crossing>): SubscriptionCommand => {
  return { type: 'NoteQuotaThreshold', ...crossing(...what) };
};
const crossed = (percent: number, plan: PlanName = 'starter', period?: string): SubscriptionFact => {
  return { type: 'QuotaThresholdCrossed', data: { accountId, plan, ...crossing(percent, plan, period) } };
};

describe('A subscription', () => {
  it('begins with a plan that is chosen; the same one again changes nothing', () => {
    given().when(choose('starter'), AT).thenFacts(chosen('starter'));
    given(at(chosen('starter')))
      .when(choose('starter'), AT)
      .thenNothing();
  });

  it('is one for an account: a second plan is not chosen beside the first', () => {
    given(at(chosen('starter')))
      .when(choose('pro'), AT)
      .thenRejected({ kind: 'has_plan', plan: 'starter' });
  });

  it('is changed up and down; to the plan that it has, it is left', () => {
    given(at(chosen('starter')))
      .when(change('pro'), AT)
      .thenFacts(changed('starter', 'pro'));
    given(at(chosen('starter')), at(changed('starter', 'pro')))
      .when(change('starter'), AT)
      .thenFacts(changed('pro', 'starter'));
    given(at(chosen('pro')))
      .when(change('pro'), AT)
      .thenNothing();
  });

  it('is cancelled, and begun anew', () => {
    given(at(chosen('pro')))
      .when(cancel, AT)
      .thenFacts(cancelled('pro'));
    given(at(chosen('pro')), at(cancelled('pro')))
      .when(choose('pro'), AT)
      .thenFacts(chosen('pro'));
  });

  it('that is not there is neither changed nor cancelled', () => {
    for (const command of [change('pro'), cancel]) {
      given().when(command, AT).thenRejected({ kind: 'no_plan' });
      given(at(chosen('pro')), at(cancelled('pro')))
        .when(command, AT)
        .thenRejected({ kind: 'no_plan' });
    }
  });

  it('tells of each threshold once in a month with one quota, whoever notes it and how often', () => {
    given(at(chosen('starter')))
      .when(note(80), AT)
      .thenFacts(crossed(80));
    given(at(chosen('starter')), at(crossed(80)))
      .when(note(80), AT)
      .thenNothing();
    given(at(chosen('starter')), at(crossed(80)))
      .when(note(100), AT)
      .thenFacts(crossed(100));
    given(at(chosen('starter')), at(crossed(100)))
      .when(note(80), AT)
      .thenNothing();
  });

  it('tells of them anew in the next month, and nothing of an earlier one', () => {
    const history = [at(chosen('starter')), at(crossed(100))];
    given(...history)
      .when(note(80, 'starter', '2026-12'), AT)
      .thenFacts(crossed(80, 'starter', '2026-12'));
    given(...history)
      .when(note(100, 'starter', '2026-10'), AT)
      .thenNothing();
  });

  it('tells of them anew with another quota, and of the first again in no month', () => {
    const upgraded = [at(chosen('starter')), at(crossed(100)), at(changed('starter', 'pro'))];
    given(...upgraded)
      .when(note(80, 'pro'), AT)
      .thenFacts(crossed(80, 'pro'));
    given(...upgraded, at(crossed(80, 'pro')), at(changed('pro', 'starter')))
      .when(note(100), AT)
      .thenNothing();
    given(at(chosen('starter')), at(crossed(80)), at(cancelled('starter')), at(chosen('starter')))
      .when(note(80), AT)
      .thenNothing();
  });

  it('tells nothing of a quota that is not its own any more, and of none without a plan', () => {
    given(at(chosen('starter')), at(changed('starter', 'pro')))
      .when(note(80), AT)
      .thenNothing();
    given(at(chosen('starter')), at(cancelled('starter')))
      .when(note(80), AT)
      .thenNothing();
  });
});

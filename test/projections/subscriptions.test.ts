import { expect } from 'chai';
import { type SubscriptionCommand, subscriptionDecider } from '../../commands/subscription/subscription.ts';
import { replay } from '../../projections/replay.ts';
import { subscriptionsProjection } from '../../projections/subscriptions.ts';
import { inLogOrder, streamOf } from '../../src/operations/directory/example-history.ts';
import { accountId } from '../support/sample-mandate.ts';

const AT = '2026-11-27T09:30:00.000Z';
const LATER = '2026-11-28T09:30:00.000Z';

function subscriptionAfter(...history: (readonly [at: string, command: SubscriptionCommand])[]) {
  const events = inLogOrder(streamOf(subscriptionDecider, accountId, ...history));
  return replay(subscriptionsProjection, events).get(accountId);
}

describe('The view of subscriptions', () => {
  const choose = [AT, { type: 'ChoosePlan', accountId, plan: 'starter' }] as const;

  it('knows the plan of an account, and since when', () => {
    const begun = { accountId, plan: 'starter', since: AT, changedAt: AT };
    expect(subscriptionAfter(choose)).to.deep.equal(begun);
    expect(subscriptionAfter(choose, [LATER, { type: 'ChangePlan', plan: 'pro' }])).to.deep.equal({
      ...begun,
      plan: 'pro',
      changedAt: LATER,
    });
  });

  it('has nothing of an account whose plan was cancelled', () => {
    expect(subscriptionAfter(choose, [LATER, { type: 'CancelPlan' }])).to.equal(undefined);
  });
});

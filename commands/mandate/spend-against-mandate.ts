/** Authorises and counts one spend, or says which controls do not let it pass. */
import { accept, reject } from '../decider.ts';
import type { MandateFact, TrialOrder } from '../../events/mandate-events.ts';
import { snapshotIfDue, type GrantedMandate, totalsAt } from './mandate-state.ts';
import { type SpendAttempt, type Violation, violations } from './controls.ts';
import type { MandateDecision } from './rejections.ts';

export interface SpendAgainstMandate {
  readonly type: 'SpendAgainstMandate';
  readonly spendId: string;
  readonly keyId: string;
  readonly action: string;
  readonly amountCents: number;
  readonly order: TrialOrder;
}

export function spendAgainstMandate(
  command: SpendAgainstMandate,
  mandate: GrantedMandate,
  at: string,
): MandateDecision {
  const violated = violations(mandate, attemptOf(command), at);
  if (isViolated(violated)) return reject({ kind: 'denied', violations: violated });

  const { spendId, keyId, action, amountCents, order } = command;
  const { accountId } = mandate;
  const { period, spentCents } = totalsAt(mandate, at);
  const spentThisPeriodCents = spentCents + amountCents;
  const data: Spent = {
    spendId,
    keyId,
    accountId,
    period,
    amountCents,
    currency: 'usd',
    action,
    spentThisPeriodCents,
    order,
  };
  // The rest of an object costs many times as much, and hardly any spend reaches a threshold.
  const reaches = thresholdsWithin(spentCents, spentThisPeriodCents, mandate.terms.maxMonthlyCents);
  return accept<MandateFact>(...snapshotIfDue(mandate, at), {
    type: 'MandateSpent',
    data: reaches === null ? data : { ...data, reaches },
  });
}

type Spent = Extract<MandateFact, { type: 'MandateSpent' }>['data'];

/** The percents of the cap that lie above `before` and not above `after`; null where none does. */
function thresholdsWithin(before: number, after: number, cap: number): number[] | null {
  // In whole cents, rounded up: 80 % of a cap that is no multiple of five is not reached a cent too early.
  const eighty = cap - Math.floor(cap / 5);
  if (after < eighty || before >= cap) return null;
  const reached = [];
  if (before < eighty) reached.push(80);
  if (after >= cap) reached.push(100);
  return reached.length === 0 ? null : reached;
}

function attemptOf({ action, amountCents, order }: SpendAgainstMandate): SpendAttempt {
  return { action, amountCents, payee: { agency: order.agency, agent: order.agent.slug } };
}

function isViolated(list: readonly Violation[]): list is readonly [Violation, ...Violation[]] {
  return list.length > 0;
}

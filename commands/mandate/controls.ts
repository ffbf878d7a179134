/**
 * The controls of a mandate, in the order in which they are tested. Every violated one is listed, so that a buyer can
 * mend all at once; the first gives the denial its reason.
 */
import type { DenialReason } from '../../events/mandate-events.ts';
import { type GrantedMandate, totalsAt } from './mandate-state.ts';

export interface SpendAttempt {
  readonly action: string;
  readonly amountCents: number;
  readonly payee: { readonly agency: string; readonly agent: string };
}

/** One control that does not let the spend pass: what it allows, and what the spend would have made of it. */
export interface Violation {
  readonly reason: DenialReason;
  readonly control: string;
  readonly limit: string | number | readonly string[] | null;
  readonly value: string | number;
}

/** The violated controls, in order; none when the spend may pass. */
export function violations(mandate: GrantedMandate, attempt: SpendAttempt, at: string): readonly Violation[] {
  return [
    ...standing(mandate),
    ...validity(mandate, at),
    ...permissions(mandate, attempt),
    ...limits(mandate, attempt, at),
  ];
}

function* standing({ status }: GrantedMandate): Iterable<Violation> {
  if (status === 'revoked')
    yield { reason: 'mandate_revoked', control: 'status', limit: 'active', value: status };
  if (status === 'suspended')
    yield { reason: 'mandate_suspended', control: 'status', limit: 'active', value: status };
}

/** A mandate is valid from `validFrom` on, and no more at `expiresAt`. */
function* validity({ terms }: GrantedMandate, at: string): Iterable<Violation> {
  if (terms.validFrom !== null && at < terms.validFrom) {
    yield { reason: 'mandate_not_yet_valid', control: 'validFrom', limit: terms.validFrom, value: at };
  }
  if (terms.expiresAt !== null && at >= terms.expiresAt) {
    yield { reason: 'mandate_expired', control: 'expiresAt', limit: terms.expiresAt, value: at };
  }
}

function* permissions({ terms }: GrantedMandate, { action, payee }: SpendAttempt): Iterable<Violation> {
  if (!terms.allowedActions.includes(action)) {
    yield {
      reason: 'action_not_allowed',
      control: 'allowedActions',
      limit: terms.allowedActions,
      value: action,
    };
  }
  const { allowedAgencies, allowedAgents } = terms;
  if (allowedAgencies !== null && !allowedAgencies.includes(payee.agency)) {
    yield {
      reason: 'payee_not_allowed',
      control: 'allowedAgencies',
      limit: allowedAgencies,
      value: payee.agency,
    };
  }
  if (allowedAgents !== null && !allowedAgents.includes(payee.agent)) {
    yield { reason: 'payee_not_allowed', control: 'allowedAgents', limit: allowedAgents, value: payee.agent };
  }
}

function* limits(mandate: GrantedMandate, { amountCents }: SpendAttempt, at: string): Iterable<Violation> {
  const { maxPerTransactionCents, maxSpendsPerMonth, maxMonthlyCents } = mandate.terms;
  const { spentCents, spendCount } = totalsAt(mandate, at);
  if (amountCents > maxPerTransactionCents) {
    const control = 'maxPerTransactionCents';
    yield { reason: 'transaction_cap', control, limit: maxPerTransactionCents, value: amountCents };
  }
  if (maxSpendsPerMonth !== null && spendCount + 1 > maxSpendsPerMonth) {
    const control = 'maxSpendsPerMonth';
    yield { reason: 'spend_count', control, limit: maxSpendsPerMonth, value: spendCount + 1 };
  }
  if (spentCents + amountCents > maxMonthlyCents) {
    const control = 'maxMonthlyCents';
    yield { reason: 'monthly_cap', control, limit: maxMonthlyCents, value: spentCents + amountCents };
  }
}

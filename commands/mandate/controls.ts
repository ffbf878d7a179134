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

function violation(
  reason: DenialReason,
  control: string,
  limit: Violation['limit'],
  value: Violation['value'],
): Violation {
  return { reason, control, limit, value };
}

function* standing({ status }: GrantedMandate): Iterable<Violation> {
  if (status === 'revoked') yield violation('mandate_revoked', 'status', 'active', status);
  if (status === 'suspended') yield violation('mandate_suspended', 'status', 'active', status);
}

/** A mandate is valid from `validFrom` on, and no more at `expiresAt`. */
function* validity({ terms: { validFrom, expiresAt } }: GrantedMandate, at: string): Iterable<Violation> {
  if (validFrom !== null && at < validFrom)
    yield violation('mandate_not_yet_valid', 'validFrom', validFrom, at);
  if (expiresAt !== null && at >= expiresAt) yield violation('mandate_expired', 'expiresAt', expiresAt, at);
}

function* permissions({ terms }: GrantedMandate, { action, payee }: SpendAttempt): Iterable<Violation> {
  const { allowedActions, allowedAgencies, allowedAgents } = terms;
  if (!allowedActions.includes(action))
    yield violation('action_not_allowed', 'allowedActions', allowedActions, action);
  if (allowedAgencies !== null && !allowedAgencies.includes(payee.agency))
    yield violation('payee_not_allowed', 'allowedAgencies', allowedAgencies, payee.agency);
  if (allowedAgents !== null && !allowedAgents.includes(payee.agent))
    yield violation('payee_not_allowed', 'allowedAgents', allowedAgents, payee.agent);
}

function* limits(mandate: GrantedMandate, { amountCents }: SpendAttempt, at: string): Iterable<Violation> {
  const { maxPerTransactionCents, maxSpendsPerMonth, maxMonthlyCents } = mandate.terms;
  const { spentCents, spendCount } = totalsAt(mandate, at);
  if (amountCents > maxPerTransactionCents)
    yield violation('transaction_cap', 'maxPerTransactionCents', maxPerTransactionCents, amountCents);
  if (maxSpendsPerMonth !== null && spendCount + 1 > maxSpendsPerMonth)
    yield violation('spend_count', 'maxSpendsPerMonth', maxSpendsPerMonth, spendCount + 1);
  if (spentCents + amountCents > maxMonthlyCents)
    yield violation('monthly_cap', 'maxMonthlyCents', maxMonthlyCents, spentCents + amountCents);
}

/** A mandate's no: told to the caller with every violated control, and recorded where no spend waits for it. */
import type { Violation } from '../../../commands/mandate/controls.ts';
import type { Mandate } from '../../../commands/mandate/mandate-state.ts';
import type { MandateRejection } from '../../../commands/mandate/rejections.ts';
import type { SpendAgainstMandate } from '../../../commands/mandate/spend-against-mandate.ts';
import { LogContradiction } from '../../../events/event-store.ts';
import { commandCall } from '../idempotency.ts';
import type { KeyedCall } from '../operation.ts';
import { type Detail, type Refusal, refuse, type Refused } from '../refusals.ts';
import type { Services } from '../services.ts';
import { mandateStateAt } from './mandate-schema.ts';

type Violations = readonly [Violation, ...Violation[]];

export function refuseSpend(
  services: Services,
  call: KeyedCall,
  command: SpendAgainstMandate,
  { rejection, state }: { readonly rejection: MandateRejection; readonly state: Mandate },
): Refused {
  if (rejection.kind !== 'denied' || state.status === 'absent') {
    throw new LogContradiction(`the mandate of ${call.caller.keyId} is not there`);
  }
  const { violations } = rejection;
  const { mandateId } = call.caller;
  const { keyId, action, amountCents, order } = command;
  services.denials.record(mandateId, commandCall(call), {
    mandateId,
    keyId,
    amountCents,
    action,
    payee: { agency: order.agency, agent: order.agent.slug },
    reasons: violations.map(({ reason }) => reason),
  });
  return denied(violations, mandateStateAt(state, call.at));
}

function denied(violations: Violations, mandateState: Refusal['mandateState'] & {}): Refused {
  const [{ reason }] = violations;
  return refuse('mandate_denied', `${DENIALS[reason]} (${reason})`, {
    reason,
    mandateState,
    details: violations.map(asDetail),
  });
}

/** A list is written with commas, a control that allows nothing as an empty text. */
export function asDetail({ reason, control, limit, value }: Violation): Detail {
  return {
    path: control,
    message: DENIALS[reason],
    reason,
    limit: typeof limit === 'object' ? (limit ?? []).join(',') : String(limit),
    value: String(value),
  };
}

export const DENIALS: Readonly<Record<Violation['reason'], string>> = {
  mandate_revoked: 'The mandate was revoked',
  mandate_suspended: 'The mandate is suspended until its owner resumes it',
  mandate_not_yet_valid: 'The mandate is not valid yet',
  mandate_expired: 'The mandate has expired',
  action_not_allowed: 'The mandate does not allow this action',
  payee_not_allowed: 'The mandate does not allow this payee',
  transaction_cap: 'The amount is above the cap of one transaction',
  spend_count: 'The mandate allows no more spends in this month',
  monthly_cap: 'The amount would pass the cap of this month',
};

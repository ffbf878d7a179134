/** What a mandate allows at a moment, as answers and denials show it. */
import { type GrantedMandate, totalsAt } from '../../../commands/mandate/mandate-state.ts';
import type { MandateState } from '../schemas/mandate-state.ts';

export function mandateStateAt(mandate: GrantedMandate, at: string): MandateState {
  const { maxPerTransactionCents, maxMonthlyCents, allowedActions, expiresAt } = mandate.terms;
  const { spentCents } = totalsAt(mandate, at);
  return {
    maxPerTransactionCents,
    maxMonthlyCents,
    spentThisPeriodCents: spentCents,
    remainingThisPeriodCents: Math.max(0, maxMonthlyCents - spentCents),
    allowedActions,
    expiresAt,
  };
}

/** What a mandate allows at a moment, as answers and denials show it: every control and what is left. */
import { type GrantedMandate, totalsAt } from '../../../commands/mandate/mandate-state.ts';
import type { MandateState } from '../schemas/mandate-state.ts';

export function mandateStateAt(mandate: GrantedMandate, at: string): MandateState {
  const { period, spentCents, spendCount } = totalsAt(mandate, at);
  return {
    status: mandate.status,
    period,
    ...mandate.terms,
    spentThisPeriodCents: spentCents,
    remainingThisPeriodCents: Math.max(0, mandate.terms.maxMonthlyCents - spentCents),
    spendsThisPeriod: spendCount,
  };
}

/** A mandate as its holder sees it: every control and what is left, as denials carry them, with its id. */
import type { z } from 'zod';
import { type GrantedMandate, totalsAt } from '../../../commands/mandate/mandate-state.ts';
import { type MandateState, mandateStateSchema } from '../schemas/mandate-state.ts';
import { textField } from '../../../projections/public-fields.ts';
import { exampleFrom } from '../example-from.ts';

export const mandateSchema = mandateStateSchema
  .extend({
    mandateId: textField('Its id.', 'mdt_01kb3j5m8xe3vb0v6yq4s5t7wz'),
  })
  .meta({ id: 'Mandate', description: 'The spending mandate of a key, its totals and all of its controls.' });
export type MandateAnswer = z.output<typeof mandateSchema>;

export const exampleMandateState = exampleFrom(mandateStateSchema);

export const exampleMandate = exampleFrom(mandateSchema);

export function describeMandate(mandate: GrantedMandate, at: string): MandateAnswer {
  return { mandateId: mandate.mandateId, ...mandateStateAt(mandate, at) };
}

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

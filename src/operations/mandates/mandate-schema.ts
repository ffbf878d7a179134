/** A mandate as its holder sees it: the state that denials carry, with its id. */
import type { z } from 'zod';
import type { GrantedMandate } from '../../../commands/mandate/mandate-state.ts';
import { mandateStateSchema } from '../schemas/mandate-state.ts';
import { mandateStateAt } from './mandate-state.ts';
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

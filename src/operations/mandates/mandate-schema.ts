/** A mandate as its holder sees it: the state that denials carry, with its id. */
import { z } from 'zod';
import type { GrantedMandate } from '../../../commands/mandate/mandate-state.ts';
import { type MandateState, mandateStateSchema } from '../schemas/mandate-state.ts';
import { mandateStateAt } from './mandate-state.ts';
import { textField } from '../../../projections/public-fields.ts';

export const mandateSchema = mandateStateSchema
  .extend({
    mandateId: textField('Its id.', 'mdt_01kb3j5m8xe3vb0v6yq4s5t7wz'),
  })
  .meta({ id: 'Mandate', description: 'The spending mandate of a key, its totals and all of its controls.' });
export type MandateAnswer = z.output<typeof mandateSchema>;

export const exampleMandateState: MandateState = {
  status: 'active',
  period: '2026-11',
  spendsThisPeriod: 3,
  maxPerTransactionCents: 5_000,
  maxMonthlyCents: 20_000,
  spentThisPeriodCents: 5_900,
  remainingThisPeriodCents: 14_100,
  allowedActions: ['trial:create'],
  expiresAt: '2027-01-01T00:00:00.000Z',
  validFrom: null,
  maxSpendsPerMonth: null,
  allowedAgencies: null,
  allowedAgents: null,
};

export const exampleMandate: MandateAnswer = {
  mandateId: 'mdt_01kb3j5m8xe3vb0v6yq4s5t7wz',
  ...exampleMandateState,
};

export function describeMandate(mandate: GrantedMandate, at: string): MandateAnswer {
  return { mandateId: mandate.mandateId, ...mandateStateAt(mandate, at) };
}

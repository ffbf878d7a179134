/** A mandate as its holder sees it: the state that denials carry, and the controls beside it. */
import { z } from 'zod';
import { type GrantedMandate, totalsAt } from '../../../commands/mandate/mandate-state.ts';
import { mandateStateSchema } from '../schemas/mandate-state.ts';
import { mandateStateAt } from './mandate-state.ts';

export const mandateSchema = mandateStateSchema
  .extend({
    mandateId: z.string().meta({ description: 'Its id.', example: 'mdt_01kb3j5m8xe3vb0v6yq4s5t7wz' }),
    status: z
      .enum(['active', 'suspended', 'revoked'])
      .meta({ description: 'Whether it may be spent against.', example: 'active' }),
    period: z
      .string()
      .meta({ description: 'The month (UTC) that the totals belong to.', example: '2026-11' }),
    spendsThisPeriod: z.int().meta({ description: 'How many spends the month holds.', example: 3 }),
    validFrom: z.string().nullable().meta({
      description: 'Not valid before; null: at once.',
      example: '2026-11-01T00:00:00.000Z',
    }),
    maxSpendsPerMonth: z
      .int()
      .nullable()
      .meta({ description: 'Spends allowed in a month; null: any.', example: null }),
    allowedAgencies: z
      .array(z.string())
      .nullable()
      .meta({ description: 'The agencies that may be paid; null: all.', example: null }),
    allowedAgents: z
      .array(z.string())
      .nullable()
      .meta({ description: 'The agents that may be hired; null: all.', example: null }),
  })
  .meta({ id: 'Mandate', description: 'The spending mandate of a key, its totals and all of its controls.' });
export type MandateAnswer = z.output<typeof mandateSchema>;

export const exampleMandate: MandateAnswer = {
  mandateId: 'mdt_01kb3j5m8xe3vb0v6yq4s5t7wz',
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

export function describeMandate(mandate: GrantedMandate, at: string): MandateAnswer {
  const { validFrom, maxSpendsPerMonth, allowedAgencies, allowedAgents } = mandate.terms;
  const { period, spendCount } = totalsAt(mandate, at);
  return {
    mandateId: mandate.mandateId,
    status: mandate.status,
    period,
    spendsThisPeriod: spendCount,
    ...mandateStateAt(mandate, at),
    validFrom,
    maxSpendsPerMonth,
    allowedAgencies,
    allowedAgents,
  };
}

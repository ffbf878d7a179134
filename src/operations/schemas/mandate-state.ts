/** What a mandate allows now, as answers and denials show it. */
import { z } from 'zod';
import {
  countField,
  nullableCountField,
  nullableTextField,
  textField,
  textsField,
} from '../../../projections/public-fields.ts';

export const mandateStateSchema = z
  .strictObject({
    status: z
      .enum(['active', 'suspended', 'revoked'])
      .meta({ description: 'Whether it may be spent against.', example: 'active' }),
    period: textField('The month (UTC) that the totals belong to.', '2026-11'),
    maxPerTransactionCents: countField('Per-transaction cap, in cents.', 5_000),
    maxMonthlyCents: countField('Cap of a calendar month (UTC), in cents.', 20_000),
    spentThisPeriodCents: countField('Already spent in this month, in cents.', 5_900),
    remainingThisPeriodCents: countField(
      'What is left of the monthly cap, in cents; 0 when more is spent than a lowered cap.',
      14_100,
    ),
    spendsThisPeriod: countField('How many spends the month holds.', 3),
    maxSpendsPerMonth: nullableCountField('Spends allowed in a month; null: any.', null),
    allowedActions: textsField('The actions that the key may spend on.', ['trial:create']),
    allowedAgencies: z
      .array(z.string())
      .nullable()
      .meta({ description: 'The agencies that may be paid; null: all.', example: null }),
    allowedAgents: z
      .array(z.string())
      .nullable()
      .meta({ description: 'The agents that may be hired; null: all.', example: null }),
    validFrom: nullableTextField('Not valid before; null: at once.', '2026-11-01T00:00:00.000Z'),
    expiresAt: nullableTextField(
      'When the mandate ends; null means that it does not.',
      '2027-01-01T00:00:00.000Z',
    ),
  })
  .meta({ id: 'MandateState', description: 'Every control of a key’s spending mandate, and what is left.' });

export type MandateState = z.output<typeof mandateStateSchema>;

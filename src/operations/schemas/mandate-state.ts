/** What a mandate allows now, as answers and denials show it. */
import { z } from 'zod';

export const mandateStateSchema = z
  .strictObject({
    status: z
      .enum(['active', 'suspended', 'revoked'])
      .meta({ description: 'Whether it may be spent against.', example: 'active' }),
    period: z
      .string()
      .meta({ description: 'The month (UTC) that the totals belong to.', example: '2026-11' }),
    maxPerTransactionCents: z.int().meta({ description: 'Per-transaction cap, in cents.', example: 5_000 }),
    maxMonthlyCents: z
      .int()
      .meta({ description: 'Cap of a calendar month (UTC), in cents.', example: 20_000 }),
    spentThisPeriodCents: z
      .int()
      .meta({ description: 'Already spent in this month, in cents.', example: 5_900 }),
    remainingThisPeriodCents: z.int().meta({
      description: 'What is left of the monthly cap, in cents; 0 when more is spent than a lowered cap.',
      example: 14_100,
    }),
    spendsThisPeriod: z.int().meta({ description: 'How many spends the month holds.', example: 3 }),
    maxSpendsPerMonth: z
      .int()
      .nullable()
      .meta({ description: 'Spends allowed in a month; null: any.', example: null }),
    allowedActions: z
      .array(z.string())
      .meta({ description: 'The actions that the key may spend on.', example: ['trial:create'] }),
    allowedAgencies: z
      .array(z.string())
      .nullable()
      .meta({ description: 'The agencies that may be paid; null: all.', example: null }),
    allowedAgents: z
      .array(z.string())
      .nullable()
      .meta({ description: 'The agents that may be hired; null: all.', example: null }),
    validFrom: z.string().nullable().meta({
      description: 'Not valid before; null: at once.',
      example: '2026-11-01T00:00:00.000Z',
    }),
    expiresAt: z.string().nullable().meta({
      description: 'When the mandate ends; null means that it does not.',
      example: '2027-01-01T00:00:00.000Z',
    }),
  })
  .meta({ id: 'MandateState', description: 'Every control of a key’s spending mandate, and what is left.' });

export type MandateState = z.output<typeof mandateStateSchema>;

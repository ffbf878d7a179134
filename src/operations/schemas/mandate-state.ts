/** What a mandate allows now, as answers and denials show it. */
import { z } from 'zod';

export const mandateStateSchema = z
  .strictObject({
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
    allowedActions: z
      .array(z.string())
      .meta({ description: 'The actions that the key may spend on.', example: ['trial:create'] }),
    expiresAt: z.string().nullable().meta({
      description: 'When the mandate ends; null means that it does not.',
      example: '2027-01-01T00:00:00.000Z',
    }),
  })
  .meta({ id: 'MandateState', description: 'The spending mandate of a key and what is left of it.' });

export type MandateState = z.output<typeof mandateStateSchema>;

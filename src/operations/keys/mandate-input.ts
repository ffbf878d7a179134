/** The terms of a mandate as whoever makes or amends a key over the API writes them. */
import { z } from 'zod';
import { cents, slug } from '../../../events/common.ts';
import { actionSchema, type MandateTerms } from '../../../events/mandate-events.ts';
import { anyTime } from '../schemas/any-time.ts';

export const mandateInput = z
  .strictObject({
    maxPerTransactionCents: cents
      .optional()
      .meta({ description: 'The most one spend may cost, in cents.', example: 5_000 }),
    maxMonthlyCents: cents
      .optional()
      .meta({ description: 'The most a calendar month (UTC) may cost, in cents.', example: 20_000 }),
    allowedActions: z
      .array(actionSchema)
      .max(32)
      .optional()
      .meta({ description: 'The actions that it may spend on.', example: ['trial:create'] }),
    validFrom: anyTime.nullable().optional().meta({
      description: 'It may not be spent before; null: at once.',
      example: '2026-11-27T09:30:00.000Z',
    }),
    expiresAt: anyTime.nullable().optional().meta({
      description: 'When spending ends; null: it does not.',
      example: '2027-01-01T00:00:00.000Z',
    }),
    maxSpendsPerMonth: z
      .int()
      .min(0)
      .nullable()
      .optional()
      .meta({ description: 'Spends in a calendar month; null: any number.', example: 40 }),
    allowedAgencies: z
      .array(slug)
      .max(200)
      .nullable()
      .optional()
      .meta({ description: 'Only these agencies may be paid; null: all.', example: ['ledgerworks'] }),
    allowedAgents: z
      .array(slug)
      .max(200)
      .nullable()
      .optional()
      .meta({ description: 'Only these agents may be hired; null: all.', example: ['invoice-matcher'] }),
  })
  .meta({ id: 'MandateTerms', description: 'Terms of a spending mandate.' });

/** What a mandate is that nobody said anything about: it allows no spend. */
export const NOTHING_ALLOWED: MandateTerms = {
  maxPerTransactionCents: 0,
  maxMonthlyCents: 0,
  allowedActions: [],
  validFrom: null,
  expiresAt: null,
  maxSpendsPerMonth: null,
  allowedAgencies: null,
  allowedAgents: null,
};

/** The terms that were named, and no others: what is undefined was not. */
export function namedTerms(input: z.output<typeof mandateInput>): Partial<MandateTerms> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

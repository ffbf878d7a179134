/** The envelope of a refusal, as the reference shows it. */
import { z } from 'zod';
import type { RefusalCode } from '../../operations/refusals.ts';
import { mandateStateSchema } from '../../operations/schemas/mandate-state.ts';

const faultSchema = z
  .strictObject({
    path: z.string().meta({ description: 'The parameter or field; empty for the whole.', example: 'limit' }),
    message: z.string().meta({ description: 'What is wrong with it.', example: 'must be at most 100' }),
  })
  .meta({ id: 'Fault', description: 'One thing that is wrong with a request.' });

const detailsSchema = z.union([z.array(faultSchema), z.looseObject({}), z.array(z.looseObject({}))]).meta({
  description:
    'More for machines: the faults of an invalid request, every violated control of a denied spend, or the facts ' +
    'that a conflict is about.',
  example: [{ path: 'limit', message: 'must be at most 100' }],
});

export const emptyMeta = z
  .strictObject({})
  .meta({ id: 'NoMeta', description: 'Nothing to say beside the payload.' });

/** `{data: null, meta: {}, error}` with one of these codes. */
export function refusedSchema(codes: readonly [RefusalCode, ...RefusalCode[]]): z.ZodType {
  return z.strictObject({
    data: z.null().meta({ description: 'No payload.' }),
    meta: emptyMeta,
    error: z
      .strictObject({
        code: z.enum(codes).meta({ description: 'What happened, for machines.', example: codes[0] }),
        message: z.string().meta({ description: 'What happened, for people.' }),
        reason: z.string().optional().meta({
          description: 'For `mandate_denied`: the first control that was violated.',
          example: 'monthly_cap',
        }),
        mandateState: mandateStateSchema.optional(),
        details: detailsSchema.optional(),
      })
      .meta({ description: 'Why the request was refused.' }),
  });
}

export function refusedExample(code: RefusalCode, message: string): object {
  const isDenial = code === 'mandate_denied';
  return {
    data: null,
    meta: {},
    error: isDenial
      ? { code, message: DENIED, reason: 'monthly_cap', mandateState: MANDATE_STATE }
      : { code, message },
  };
}

const DENIED = 'The mandate refuses this spend (monthly_cap).';
const MANDATE_STATE: z.output<typeof mandateStateSchema> = {
  maxPerTransactionCents: 5_000,
  maxMonthlyCents: 20_000,
  spentThisPeriodCents: 19_000,
  remainingThisPeriodCents: 1_000,
  allowedActions: ['trial:create'],
  expiresAt: null,
};

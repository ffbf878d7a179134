/** The envelope of a refusal, as the reference shows it. */
import { z } from 'zod';
import { REFUSAL_CODES, type RefusalCode } from '../../operations/refusals.ts';
import { exampleMandateState } from '../../operations/mandates/mandate-schema.ts';
import { mandateStateSchema } from '../../operations/schemas/mandate-state.ts';
import { detailSchema } from '../../operations/schemas/refusal-detail.ts';
import { textField } from '../../../projections/public-fields.ts';

const detailsSchema = z.array(detailSchema).meta({
  description:
    'More for machines: the faults of an invalid request, every violated control of a denied spend, or the facts ' +
    'that a conflict is about.',
  example: [{ path: 'limit', message: 'must be at most 100' }],
});

const EXAMPLE_REQUEST_ID = 'req_01kb3j5m8xe3vb0v6yq4s5t7wr';

export const emptyMeta = z
  .strictObject({})
  .meta({ id: 'NoMeta', description: 'Nothing to say beside the payload.' });

/**
 * A field that is null in every answer of its kind. The type `null` alone is unknown to several generators, and readers
 * that ogen makes for Go refuse null for an object without properties, unless it may have any.
 */
export function alwaysNull(description: string): z.ZodType {
  return z.literal(null).meta({
    description,
    type: ['object', 'null'],
    additionalProperties: true,
    enum: undefined,
    example: null,
  });
}

/** `{data: null, meta: {}, error}`: what every refusal looks like, whatever its code. */
export const refusedSchema = z
  .strictObject({
    data: alwaysNull('No payload.'),
    meta: emptyMeta,
    error: z
      .strictObject({
        code: z.enum(REFUSAL_CODES).meta({
          description:
            'What happened, for machines. `x-refusal-codes` of each operation lists what it may answer.',
          example: 'invalid_request',
        }),
        message: z.string().meta({ description: 'What happened, for people.' }),
        requestId: textField(
          'The id under which we log the request, as in X-Request-Id.',
          EXAMPLE_REQUEST_ID,
        ),
        reason: z.string().optional().meta({
          description: 'For `mandate_denied`: the first control that was violated.',
          example: 'monthly_cap',
        }),
        mandateState: mandateStateSchema.optional(),
        details: detailsSchema.optional(),
      })
      .meta({ id: 'RefusedError', description: 'Why the request was refused.' }),
  })
  .meta({ id: 'Refused', description: 'The answer to whatever cannot be done.' });

export function refusedExample(code: RefusalCode, message: string): object {
  const error = { code, message, requestId: EXAMPLE_REQUEST_ID };
  return { data: null, meta: {}, error: code === 'mandate_denied' ? { ...error, ...DENIAL } : error };
}

const DENIAL = {
  message: 'The mandate refuses this spend (monthly_cap).',
  reason: 'monthly_cap',
  mandateState: { ...exampleMandateState, spentThisPeriodCents: 19_000, remainingThisPeriodCents: 1_000 },
};

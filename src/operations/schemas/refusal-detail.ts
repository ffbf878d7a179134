/** One detail of a refusal, as it is answered. */
import { z } from 'zod';
import { textField } from '../../../projections/public-fields.ts';

export const detailSchema = z
  .strictObject({
    path: textField('The parameter, header, field, control or fact; empty for the whole.', 'limit'),
    message: textField('What is wrong with it.', 'must be at most 100'),
    reason: z.string().optional().meta({
      description: 'For a violated control of a mandate: its reason.',
      example: 'monthly_cap',
    }),
    limit: z.string().optional().meta({
      description: 'What is allowed, as text: an amount in cents, a time, names with commas between them.',
      example: '20000',
    }),
    value: z.string().optional().meta({
      description: 'What there is, or would have been, as text.',
      example: '20900',
    }),
  })
  .meta({ id: 'RefusalDetail', description: 'One thing that stands in the way of a request.' });

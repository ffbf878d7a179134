/** A record as whoever made it tells of it, and as it is answered. */
import { z } from 'zod';
import { jsonValue } from '../../../events/common.ts';
import { line } from '../../../events/texts.ts';
import { flagField, textField } from '../../../projections/public-fields.ts';
import { exampleJobId } from '../jobs/job-schema.ts';
import { anyTime } from '../schemas/any-time.ts';
import { keptAsParsed } from '../schemas/link-address.ts';

const MAX_ATTRIBUTES_BYTES = 16 * 1_024;

export const recordInput = z.strictObject({
  token: z.string().max(1_000).meta({
    description: 'From the job’s `recordWebhookUrl`.',
    example: '01kb3j5m8xe3vb0v6yq4s5t7wv_H4sQ',
  }),
  recordId: line(200).meta({
    description: 'Your name for the record; the same one again is the same record.',
    example: 'INV-2026-0042',
  }),
  recordType: line(200).optional().meta({ description: 'What it is.', example: 'invoice_match' }),
  occurredAt: anyTime
    .optional()
    .meta({ description: 'When it was created there.', example: '2026-11-27T09:30:00.000Z' }),
  url: keptAsParsed(z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).max(2_000))
    .optional()
    .meta({ description: 'Where it can be seen.', example: 'https://erp.example/invoices/42' }),
  attributes: z
    .record(z.string(), jsonValue)
    .refine(
      (attributes) => Buffer.byteLength(JSON.stringify(attributes)) <= MAX_ATTRIBUTES_BYTES,
      'must be at most 16 KiB of JSON',
    )
    .optional()
    .meta({
      description: 'Whatever else is to be known of it, at most 16 KiB.',
      // For the reference: any JSON object. Its recursive values cannot be written out there.
      type: 'object',
      example: { total: 19 },
    }),
  signatureId: z
    .string()
    .max(255)
    .optional()
    .meta({ description: 'Standard Webhooks: your id of the message.', example: 'msg_2Lh9' }),
  signatureTimestamp: z
    .string()
    .max(20)
    .optional()
    .meta({ description: 'Standard Webhooks: Unix seconds.', example: '1795771800' }),
  signature: z
    .string()
    .max(2_000)
    .optional()
    .meta({ description: 'Standard Webhooks: `v1,` and the signature.', example: 'v1,K5oZ' }),
});
export type RecordInput = z.output<typeof recordInput>;

export const recordOutput = z
  .strictObject({
    jobId: textField('The job it counts for.', exampleJobId),
    recordId: textField('As it was sent.', 'INV-2026-0042'),
    eventId: textField(
      'The event that keeps it, the same for every telling.',
      'evt_01kb3j5m8xe3vb0v6yq4s5t7wr',
    ),
    duplicate: flagField('Whether it was told before.', false),
  })
  .meta({ id: 'AssertedRecord', description: 'A record as it was taken in.' });
export type IngestedRecord = z.output<typeof recordOutput>;

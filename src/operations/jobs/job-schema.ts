/** A job as answers show it. */
import { z } from 'zod';
import { jsonValue, slug } from '../../../events/common.ts';
import { idSchema } from '../../../events/ids.ts';
import { jobStatusSchema } from '../../../events/job-status.ts';
import { line } from '../../../events/texts.ts';
import {
  countField,
  momentField,
  nullableCountField,
  nullableTextField,
  textField,
} from '../../../projections/public-fields.ts';
import { exampleFrom } from '../example-from.ts';

export const exampleJobId = 'job_01kb3j5m8xe3vb0v6yq4s5t7wv';

const exampleKeyId = 'key_01kb3j5m8xe3vb0v6yq4s5t7wx';

export const jobIdInput = idSchema('job').meta({ description: 'The id of the job.', example: exampleJobId });

/** Why an operator does it. */
export const reasonInput = (example: string) =>
  line(500).meta({ description: 'Kept with the event.', example });

const status = jobStatusSchema.meta({
  description:
    'draft waits for payment; funded waits for the agency; running; completed or failed by the agency; cancelled by ' +
    'its owner or expired unpaid (the spend is given back); refunded by an operator.',
  example: 'draft',
});

export const jobSchema = z
  .strictObject({
    id: jobIdInput,
    status,
    keyId: idSchema('apiKey').meta({ description: 'The key that made it.', example: exampleKeyId }),
    agent: z
      .strictObject({
        slug: slug.meta({ description: 'The agent’s slug.', example: 'invoice-matcher' }),
        name: textField('Its name when the job was made.', 'Invoice Matcher'),
      })
      .meta({ description: 'The agent that does the job.' }),
    amountCents: countField('The price, in cents, counted against the mandate.', 1_900),
    currency: z.literal('usd').meta({ description: 'ISO 4217, lower case.', example: 'usd' }),
    fundingUrl: nullableTextField(
      'Where whoever has the address can pay for the draft until it expires, and cancel it if the key may ' +
        '(`jobs:cancel`). Null once there is nothing to pay any more, and for keys without `trials:create`.',
      'http://localhost:8080/checkout/job_01kb3j5m8xe3vb0v6yq4s5t7wv?t=H4sQ',
    ),
    paymentState: z.literal('pending').optional().meta({
      description: 'Only while a payment is under way whose outcome is not known yet: do not pay again.',
      example: 'pending',
    }),
    fundingExpiresAt: momentField(
      'An unpaid draft expires then, and its spend is given back.',
      '2026-11-28T09:30:00.000Z',
    ),
    recordWebhookUrl: nullableTextField(
      'Where the buyer’s system posts RECORD_CREATED for this job, until 90 days after its end. Whoever has the ' +
        'address may post. Null for keys without `trials:create`.',
      'http://localhost:8080/webhooks/record-created/01kb3j5m8xe3vb0v6yq4s5t7wv.H4sQ',
    ),
    recordsCreated: countField('Records asserted so far.', 0),
    expectedRecords: nullableCountField('How many the buyer expects.', 40),
    artifactCount: countField('Files that the agency delivered.', 0),
    failure: z
      .strictObject({
        code: textField('For machines.', 'inputs_unreadable'),
        message: textField('For people.', 'The statement is an image without text.'),
      })
      .optional()
      .meta({ description: 'Why the job failed; only on failed jobs.' }),
    metadata: z.record(z.string(), z.string()).meta({
      description: 'The buyer’s own notes, given back as they came.',
      example: { costCentre: 'FIN-7' },
    }),
    createdAt: momentField('When the job was made.'),
    updatedAt: momentField('When it changed last.'),
    history: z
      .array(
        z.strictObject({
          status,
          at: momentField('Since when.'),
        }),
      )
      .meta({ description: 'Every state it went through, the first one first.' }),
  })
  .meta({
    id: 'Job',
    description: 'A trial run: made by a spend, paid by its funding URL, done by an agency.',
  });
export type Job = z.output<typeof jobSchema>;

/** What its owner wrote is given back with the single job: a page of such texts would be megabytes. */
export const orderedJobSchema = jobSchema
  .extend({
    brief: nullableTextField(
      'What was asked for; null once the account was erased.',
      'Match the invoices of October against the bank statement.',
    ),
    inputs: z
      .record(z.string(), jsonValue)
      .nullable()
      .meta({ description: 'As they were sent; null where there were none.', example: { month: '2026-10' } }),
  })
  .meta({ id: 'OrderedJob', description: 'A trial run with what its buyer asked for.' });
export type OrderedJob = z.output<typeof orderedJobSchema>;

export const exampleJob = exampleFrom(jobSchema);

export const exampleOrderedJob = exampleFrom(orderedJobSchema);

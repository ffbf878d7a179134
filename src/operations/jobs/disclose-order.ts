import { z } from 'zod';
import { exampleFrom } from '../example-from.ts';
import { commandCall } from '../idempotency.ts';
import { defineOperation } from '../operation.ts';
import { refuse } from '../refusals.ts';
import { changeJob } from './change-job.ts';
import { exampleJobId, jobIdInput, reasonInput } from './job-schema.ts';
import { orderTextOf } from './order-text.ts';
import { noSuchJob, readJob } from './read-job.ts';
import { textField } from '../../../projections/public-fields.ts';

const orderSchema = z
  .strictObject({
    jobId: jobIdInput,
    brief: textField('As the buyer wrote it.', 'Match the invoices.'),
    inputs: z
      .record(z.string(), z.json())
      .nullable()
      .meta({ description: 'Structured inputs, as the buyer sent them.', example: { month: '2026-10' } }),
    metadata: z
      .record(z.string(), z.string())
      .meta({ description: 'The buyer’s own notes.', example: { costCentre: 'FIN-7' } }),
  })
  .meta({ id: 'DisclosedOrder', description: 'What a buyer wrote of an order.' });

export const discloseOrder = defineOperation({
  name: 'discloseOrder',
  summary: 'Read what a buyer wrote of an order, for a reason that is kept.',
  description:
    'For operators, in a dispute for example. Who read it, when and why is an event of the job before anything is shown.',
  tag: 'operator',
  kind: 'command',
  scope: 'operator:write',
  input: z.strictObject({
    jobId: jobIdInput,
    reason: reasonInput('The buyer disputes what was ordered.'),
  }),
  output: orderSchema,
  refusals: ['not_found', 'conflict', 'idempotency_mismatch'],
  example: {
    input: { jobId: exampleJobId, reason: 'The buyer disputes what was ordered.' },
    output: exampleFrom(orderSchema),
  },
  async run({ jobId, reason }, call, services) {
    const job = await readJob(services, jobId);
    if (job === undefined) return noSuchJob(jobId);
    const text = await orderTextOf(job, services);
    if (text === null)
      return refuse('conflict', 'the key of the account was erased: nobody can read the order');
    const changed = await changeJob(services, jobId, { type: 'DiscloseOrder', reason }, commandCall(call));
    if (!changed.ok) return changed;
    const { brief, inputs, metadata } = text;
    return { ok: true, data: { jobId, brief, inputs, metadata }, replayed: changed.replayed };
  },
});

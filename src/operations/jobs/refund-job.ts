import { z } from 'zod';
import { commandCall } from '../idempotency.ts';
import { defineOperation } from '../operation.ts';
import { exampleProviderJob, providerJobSchema, showProviderJobWith } from './provider-job-schema.ts';
import { changeJob } from './change-job.ts';
import { exampleJobId, jobIdInput, reasonInput } from './job-schema.ts';

export const refundJob = defineOperation({
  name: 'refundJob',
  summary: 'Give the payment of a job back and end it.',
  description:
    'For operators, while the job is `funded` or `running`. The payment goes back to whoever made it; the spend stays ' +
    'counted against the mandate of its month. What the buyer wrote is not shown here.',
  tag: 'operator',
  kind: 'command',
  scope: 'operator:write',
  input: z.strictObject({
    jobId: jobIdInput,
    reason: reasonInput('The agency withdrew.'),
  }),
  output: providerJobSchema,
  refusals: ['not_found', 'job_state', 'idempotency_mismatch'],
  example: {
    input: { jobId: exampleJobId, reason: 'The agency withdrew.' },
    output: { ...exampleProviderJob, status: 'refunded', brief: null },
  },
  async run({ jobId, reason }, call, services) {
    const changed = await changeJob(services, jobId, { type: 'RefundJob', reason }, commandCall(call));
    return changed.ok
      ? { ok: true, data: showProviderJobWith(changed.job, null), replayed: changed.replayed }
      : changed;
  },
});

import { z } from 'zod';
import { commandCall } from '../idempotency.ts';
import { defineOperation } from '../operation.ts';
import { exampleProviderJob, providerJobSchema, showProviderJobWith } from './provider-job-schema.ts';
import { changeJob } from './change-job.ts';
import { isOfOwnAccount } from './receive-payment.ts';
import { exampleJobId, jobIdInput, reasonInput } from './job-schema.ts';

const exampleReason = 'The bank says that the transfer was recalled (ticket 4712).';

export const settleJobPayment = defineOperation({
  name: 'settleJobPayment',
  summary: 'Say what came of a payment whose outcome stays unknown.',
  description:
    'For operators who know it from elsewhere, while the draft’s `paymentState` is pending. `paid` funds the job; ' +
    '`not_paid` frees the draft, which can then be paid again, be cancelled and expire. What the provider tells later is ' +
    'still taken in: money that came after all funds the draft, or goes back.',
  tag: 'operator',
  kind: 'command',
  scope: 'operator:write',
  input: z.strictObject({
    jobId: jobIdInput,
    outcome: z
      .enum(['paid', 'not_paid'])
      .meta({ description: 'Whether the money came.', example: 'not_paid' }),
    reason: reasonInput(exampleReason),
  }),
  output: providerJobSchema,
  refusals: ['not_found', 'job_state', 'idempotency_mismatch'],
  example: {
    input: { jobId: exampleJobId, outcome: 'not_paid' as const, reason: exampleReason },
    output: { ...exampleProviderJob, status: 'draft', brief: null },
  },
  async run({ jobId, outcome, reason }, call, services) {
    const ofOwnAccount = await isOfOwnAccount(services, jobId, call.at);
    const command = { type: 'SettlePayment', outcome, reason, ofOwnAccount } as const;
    const changed = await changeJob(services, jobId, command, commandCall(call));
    return changed.ok
      ? { ok: true, data: showProviderJobWith(changed.job, null), replayed: changed.replayed }
      : changed;
  },
});

/** What an agency says of a job of its agents: it starts, it is complete, or it failed and why. */
import { z } from 'zod';
import type { JobCommand } from '../../../commands/job/job.ts';
import { changeJob } from '../jobs/change-job.ts';
import { exampleJobId, jobIdInput } from '../jobs/job-schema.ts';
import { orderTextOf } from '../jobs/order-text.ts';
import { agencyJob } from '../jobs/read-job.ts';
import { commandCall } from '../idempotency.ts';
import { defineOperation, type KeyedCall, type Outcome } from '../operation.ts';
import type { RefusalCode } from '../refusals.ts';
import type { Services } from '../services.ts';
import {
  exampleProviderJob,
  needsOrder,
  type ProviderJob,
  providerJobSchema,
  showProviderJobWith,
} from '../jobs/provider-job-schema.ts';

const shared = {
  tag: 'provider',
  kind: 'command',
  scope: 'provider:fulfil',
  output: providerJobSchema,
} as const;
const refusals: readonly RefusalCode[] = ['not_found', 'job_state', 'idempotency_mismatch'];
const byId = z.strictObject({ jobId: jobIdInput });

export const startJob = defineOperation({
  ...shared,
  name: 'startJob',
  summary: 'Start the work on a funded job.',
  description: 'Only for the agency whose agent was hired. The job is `running` from then on.',
  input: byId,
  refusals,
  example: { input: { jobId: exampleJobId }, output: { ...exampleProviderJob, status: 'running' } },
  run: ({ jobId }, call, services) => fulfil(services, jobId, { type: 'StartJob' }, call),
});

export const completeJob = defineOperation({
  ...shared,
  name: 'completeJob',
  summary: 'Say that a running job is done.',
  description:
    'Only for the agency whose agent was hired. Counts among the outcomes of the agent if real money paid it, from an account that is not the agency’s own.',
  input: byId,
  refusals,
  example: { input: { jobId: exampleJobId }, output: { ...exampleProviderJob, status: 'completed' } },
  run: ({ jobId }, call, services) => fulfil(services, jobId, { type: 'CompleteJob' }, call),
});

export const failJob = defineOperation({
  ...shared,
  name: 'failJob',
  summary: 'Say that a running job cannot be done, and why.',
  description:
    'Only for the agency whose agent was hired. The buyer reads the reason. Counts among the outcomes as a completed job does.',
  input: byId.extend({
    code: z
      .string()
      .regex(
        /^[a-z][a-z0-9_]{0,63}$/,
        'must be lower-case words joined by underscores, at most 64 characters',
      )
      .meta({ description: 'For machines.', example: 'inputs_unreadable' }),
    message: z
      .string()
      .min(1)
      .max(2_000)
      .regex(/^(?:[^\p{Cc}]|[\t\n\r])*$/u, 'must not hold control characters other than tabs and line breaks')
      .meta({ description: 'For people.', example: 'The bank statement is an image without text.' }),
  }),
  refusals,
  example: {
    input: {
      jobId: exampleJobId,
      code: 'inputs_unreadable',
      message: 'The bank statement is an image without text.',
    },
    output: {
      ...exampleProviderJob,
      status: 'failed',
      failure: { code: 'inputs_unreadable', message: 'The bank statement is an image without text.' },
    },
  },
  run: ({ jobId, code, message }, call, services) =>
    fulfil(services, jobId, { type: 'FailJob', code, message }, call),
});

async function fulfil(
  services: Services,
  jobId: string,
  command: JobCommand,
  call: KeyedCall,
): Promise<Outcome<ProviderJob>> {
  const job = await agencyJob(services, jobId, call.caller);
  if ('ok' in job) return job;
  // Before anything is done: the answer may need the key of the buyer's account.
  const text = needsOrder(job, call.at, services) ? await orderTextOf(job, services) : null;
  const changed = await changeJob(services, jobId, command, commandCall(call));
  if (!changed.ok) return changed;
  return { ok: true, data: showProviderJobWith(changed.job, text), replayed: changed.replayed };
}

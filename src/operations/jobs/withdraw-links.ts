import { z } from 'zod';
import { commandCall } from '../idempotency.ts';
import { defineOperation } from '../operation.ts';
import { changeJob } from './change-job.ts';
import { exampleJob, exampleJobId, jobIdInput, jobSchema } from './job-schema.ts';
import { ownJob } from './read-job.ts';
import { metadataOf, showJobWith } from './show-job.ts';

export const withdrawJobLinks = defineOperation({
  name: 'withdrawJobLinks',
  summary: 'Make every `fundingUrl` and `recordWebhookUrl` of a job void, and get new ones.',
  description:
    'For a link that went to the wrong place. The links that were given out so far stop working at once; the answer ' +
    'holds new ones. Revoking a key withdraws the links that it made.',
  tag: 'jobs',
  kind: 'command',
  scope: 'trials:create',
  input: z.strictObject({ jobId: jobIdInput }),
  output: jobSchema,
  refusals: ['not_found', 'idempotency_mismatch'],
  example: { input: { jobId: exampleJobId }, output: exampleJob },
  async run({ jobId }, call, services) {
    const own = await ownJob(services, jobId, call.caller);
    if ('ok' in own) return own;
    // Before anything is done: the answer needs the account's key.
    const metadata = await metadataOf(own, services);
    const changed = await changeJob(services, jobId, { type: 'WithdrawLinks' }, commandCall(call));
    if (!changed.ok) return changed;
    const data = showJobWith(changed.job, metadata, services, call.caller);
    return { ok: true, data, replayed: changed.replayed };
  },
});

import { z } from 'zod';
import { changeJob } from '../jobs/change-job.ts';
import { exampleJobId, jobIdInput } from '../jobs/job-schema.ts';
import { ownJob } from '../jobs/read-job.ts';
import { jobDecider } from '../../../commands/job/job.ts';
import { newestVersion } from '../../../commands/overlapping-secrets.ts';
import { LogContradiction } from '../../../events/event-store.ts';
import { commandCall } from '../idempotency.ts';
import { defineOperation } from '../operation.ts';
import { webhookSecret } from '../standard-webhooks.ts';
import { textField } from '../../../projections/public-fields.ts';

export const issueRecordSecret = defineOperation({
  name: 'issueRecordSecret',
  summary: 'Demand that RECORD_CREATED posts of a job are signed, and get the secret.',
  description:
    'From now on posts to the job’s `recordWebhookUrl` must carry a Standard Webhooks signature; unsigned and stale ' +
    'ones are refused with 401. The secret is shown in this answer alone; asking again makes a new one, and posts under ' +
    'this one are taken for a day longer. At most five count at once.',
  tag: 'jobs',
  kind: 'command',
  scope: 'trials:create',
  input: z.strictObject({ jobId: jobIdInput }),
  output: z
    .strictObject({
      jobId: jobIdInput,
      secret: textField('Shown once.', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'),
    })
    .meta({ id: 'RecordSecret', description: 'What RECORD_CREATED posts of the job are signed with.' }),
  refusals: ['not_found', 'conflict', 'idempotency_mismatch'],
  example: {
    input: { jobId: exampleJobId },
    output: { jobId: exampleJobId, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' },
  },
  async run({ jobId }, call, services) {
    const own = await ownJob(services, jobId, call.caller);
    if ('ok' in own) return own;
    const changed = await changeJob(services, jobId, { type: 'IssueRecordSecret' }, commandCall(call));
    if (!changed.ok) return changed;
    const { state } = await services.commands.load(jobDecider, jobId, call.at);
    if (state.status === 'absent') throw new LogContradiction(`${jobId} was changed and is not there`);
    const secret = webhookSecret(services.signer, 'record-secret', jobId, newestVersion(state.recordSecrets));
    return { ok: true, data: { jobId, secret }, replayed: changed.replayed };
  },
});

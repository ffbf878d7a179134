import { z } from 'zod';
import { afterEffect } from '../after-effect.ts';
import { commandCall } from '../idempotency.ts';
import { defineOperation } from '../operation.ts';
import { changeJob } from './change-job.ts';
import { exampleJob, exampleJobId, jobIdInput, jobSchema } from './job-schema.ts';
import { ownJob } from './read-job.ts';
import { releaseSpendOf } from './release-spend-of.ts';
import { metadataOf, showJobWith } from './show-job.ts';

export const cancelJob = defineOperation({
  name: 'cancelJob',
  summary: 'Give up a draft before it is paid.',
  description:
    'Its spend is given back to the period it was made in. Only drafts can be cancelled; one that is cancelled already is ' +
    'answered as it is.',
  tag: 'jobs',
  kind: 'command',
  scope: 'jobs:cancel',
  input: z.strictObject({ jobId: jobIdInput }),
  output: jobSchema,
  refusals: ['not_found', 'job_state', 'idempotency_mismatch'],
  example: {
    input: { jobId: exampleJobId },
    output: {
      ...exampleJob,
      status: 'cancelled',
      fundingUrl: null,
      history: [...exampleJob.history, { status: 'cancelled', at: '2026-11-27T09:40:00.000Z' }],
      updatedAt: '2026-11-27T09:40:00.000Z',
    },
  },
  async run({ jobId }, call, services) {
    const own = await ownJob(services, jobId, call.caller);
    if ('ok' in own) return own;
    // Before anything is done: the answer needs the account's key.
    const metadata = await metadataOf(own, services);
    const changed = await changeJob(services, jobId, { type: 'CancelJob' }, commandCall(call));
    if (!changed.ok) return changed;
    await afterEffect(releaseSpendOf(services, jobId, 'job_cancelled', commandCall(call)));
    const data = showJobWith(changed.job, metadata, services, call.caller);
    return { ok: true, data, replayed: changed.replayed };
  },
});

/** What the owner of a job changes about it after it was made. */
import { z } from 'zod';
import type { JobCommand } from '../../../commands/job/job.ts';
import { afterEffect } from '../after-effect.ts';
import { commandCall } from '../idempotency.ts';
import { defineOperation, type KeyedCall, type Outcome } from '../operation.ts';
import type { Services } from '../services.ts';
import { changeJob } from './change-job.ts';
import { exampleJob, exampleJobId, type Job, jobIdInput, jobSchema } from './job-schema.ts';
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
  run: ({ jobId }, call, services) =>
    changeOwn(services, jobId, { type: 'CancelJob' }, call, () =>
      releaseSpendOf(services, jobId, 'job_cancelled', commandCall(call)),
    ),
});

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
  run: ({ jobId }, call, services) => changeOwn(services, jobId, { type: 'WithdrawLinks' }, call),
});

/** @param then what follows from the change */
async function changeOwn(
  services: Services,
  jobId: string,
  command: JobCommand,
  call: KeyedCall,
  then?: () => Promise<void>,
): Promise<Outcome<Job>> {
  const own = await ownJob(services, jobId, call.caller);
  if ('ok' in own) return own;
  // Before anything is done: the answer needs the account's key.
  const metadata = await metadataOf(own, services);
  const changed = await changeJob(services, jobId, command, commandCall(call));
  if (!changed.ok) return changed;
  if (then !== undefined) await afterEffect(then());
  const data = showJobWith(changed.job, metadata, services, call.caller);
  return { ok: true, data, replayed: changed.replayed };
}

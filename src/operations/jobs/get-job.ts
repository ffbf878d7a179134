import { z } from 'zod';
import type { JobDocument } from '../../../projections/jobs.ts';
import { defineOperation, type KeyedCall, type KeyHolder, type Outcome } from '../operation.ts';
import type { Services } from '../services.ts';
import {
  exampleJob,
  exampleJobId,
  exampleOrderedJob,
  jobIdInput,
  jobSchema,
  orderedJobSchema,
} from './job-schema.ts';
import { ownJob } from './read-job.ts';
import { withinBudget } from '../time-budget.ts';
import { showJob, shownRevision, showOrderedJob } from './show-job.ts';
import { waitForJob } from './wait-for-job.ts';

const reading = {
  waits: true,
  tag: 'jobs',
  kind: 'query',
  scope: 'jobs:read',
  input: z.strictObject({
    jobId: jobIdInput,
    wait: z.int().min(1).max(60).optional().meta({
      description: 'Hold the answer until the status changes, at most so many seconds.',
      example: 30,
    }),
  }),
  refusals: ['not_found', 'rate_limited'],
} as const;

export const getJob = defineOperation({
  ...reading,
  name: 'getJob',
  summary: 'The state of one of your jobs, and what you asked for.',
  description:
    'A job can be read the moment it was created, and shows each change at once. With `wait` the answer is held until ' +
    'the status changes, at most so many seconds; send the ETag you have as If-None-Match, so that a change between two ' +
    'requests is not waited past.',
  output: orderedJobSchema,
  example: { input: { jobId: exampleJobId }, output: exampleOrderedJob },
  run: (input, call, services) => answerWith(showOrderedJob, input, call, services),
});

/** The same for readers who know what they asked for, and pay for each word: models. */
export const getJobStatus = defineOperation({
  ...reading,
  name: 'getJobStatus',
  summary: 'The state of one of your jobs.',
  description: getJob.description,
  output: jobSchema,
  example: { input: { jobId: exampleJobId }, output: exampleJob },
  run: (input, call, services) => answerWith(showJob, input, call, services),
});

async function answerWith<Shown>(
  show: (job: JobDocument, services: Services, caller: KeyHolder) => Promise<Shown>,
  { jobId, wait }: z.output<typeof reading.input>,
  call: KeyedCall,
  services: Services,
): Promise<Outcome<Shown>> {
  const lookUntilMs = performance.now() + services.logMs;
  const own = await ownJob(withinBudget(services, lookUntilMs), jobId, call.caller);
  if ('ok' in own) return own;
  const job = wait === undefined ? own : await waitForJob(services, own, wait, call, lookUntilMs);
  if ('ok' in job) return job;
  const data = await show(job, services, call.caller);
  return { ok: true, data, revision: shownRevision(job, call.caller) };
}

import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { exampleJob, exampleJobId, jobIdInput, jobSchema } from './job-schema.ts';
import { ownJob } from './read-job.ts';
import { showJob, shownRevision } from './show-job.ts';
import { waitForJob } from './wait-for-job.ts';

export const getJob = defineOperation({
  name: 'getJob',
  waits: true,
  summary: 'The state of one of your jobs.',
  description:
    'A job can be read the moment it was created, and shows each change at once. With `wait` the answer is held until ' +
    'the status changes, at most so many seconds; send the ETag you have as If-None-Match, so that a change between two ' +
    'requests is not waited past.',
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
  output: jobSchema,
  refusals: ['not_found', 'rate_limited'],
  example: { input: { jobId: exampleJobId }, output: exampleJob },
  async run({ jobId, wait }, call, services) {
    const own = await ownJob(services, jobId, call.caller);
    if ('ok' in own) return own;
    const job = wait === undefined ? own : await waitForJob(services, own, wait, call);
    if ('ok' in job) return job;
    const data = await showJob(job, services, call.caller);
    return { ok: true, data, revision: shownRevision(job, call.caller) };
  },
});

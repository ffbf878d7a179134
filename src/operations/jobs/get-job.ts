import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { exampleJob, exampleJobId, jobIdInput, jobSchema } from './job-schema.ts';
import { ownJob } from './read-job.ts';
import { showJob } from './show-job.ts';

export const getJob = defineOperation({
  name: 'getJob',
  summary: 'The state of one of your jobs.',
  description: 'A job can be read the moment it was created, and shows each change at once.',
  tag: 'jobs',
  kind: 'query',
  scope: 'jobs:read',
  input: z.strictObject({ jobId: jobIdInput }),
  output: jobSchema,
  refusals: ['not_found'],
  example: { input: { jobId: exampleJobId }, output: exampleJob },
  async run({ jobId }, { caller }, services) {
    const job = await ownJob(services, jobId, caller);
    if ('ok' in job) return job;
    return { ok: true, data: showJob(job, services), revision: `${job.id}-${job.revision}-${job.recordsCreated}` };
  },
});

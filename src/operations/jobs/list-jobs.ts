import { z } from 'zod';
import { jobStatusSchema } from '../../../events/job-status.ts';
import { type JobDocument, jobsProjection } from '../../../projections/jobs.ts';
import { cursorField, limitField, listMeta, listOwn } from '../list-page.ts';
import { defineOperation } from '../operation.ts';
import { exampleJob, jobSchema } from './job-schema.ts';
import { showJob } from './show-job.ts';

export const listJobs = defineOperation({
  name: 'listJobs',
  summary: 'The jobs of your account, the newest first.',
  description: 'It shows all that you were told before you asked, at whichever node.',
  tag: 'jobs',
  kind: 'query',
  scope: 'jobs:read',
  input: z.strictObject({
    status: jobStatusSchema.optional().meta({ description: 'Only jobs in this state.', example: 'draft' }),
    limit: limitField,
    cursor: cursorField,
  }),
  output: z.array(jobSchema),
  meta: listMeta,
  refusals: ['invalid_cursor'],
  example: { input: { status: 'draft', limit: 20 }, output: [exampleJob] },
  async run({ limit, cursor, status }, { caller }, services) {
    const question = {
      view: jobsProjection.name,
      filter: { accountId: caller.accountId, status },
      order: '-createdAt',
      limit,
      cursor,
    };
    return listOwn(services, question, (job: JobDocument) => showJob(job, services, caller));
  },
});

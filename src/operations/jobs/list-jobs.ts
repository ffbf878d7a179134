import { z } from 'zod';
import { jobStatusSchema } from '../../../events/job-status.ts';
import { type JobDocument, jobsProjection } from '../../../projections/jobs.ts';
import { cursorField, limitField, listMeta, listRows } from '../list-page.ts';
import { defineOperation } from '../operation.ts';
import { parseDocument } from '../read-view.ts';
import { exampleJob, jobSchema } from './job-schema.ts';
import { showJob } from './show-job.ts';

export const listJobs = defineOperation({
  name: 'listJobs',
  summary: 'The jobs of your account, the newest first.',
  description: 'A list may lag a moment behind the newest change; a single job does not.',
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
    const page = await listRows(services.views, question);
    if (!page.ok) return page;
    const jobs = page.rows.map((row) => showJob(parseDocument<JobDocument>(row), services));
    return { ok: true, data: jobs, meta: page.meta };
  },
});

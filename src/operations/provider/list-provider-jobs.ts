import { z } from 'zod';
import { jobStatusSchema } from '../../../events/job-status.ts';
import { type JobDocument, jobsProjection } from '../../../projections/jobs.ts';
import { cursorField, limitField, listMeta, listOwn } from '../list-page.ts';
import { defineOperation } from '../operation.ts';
import { refuse } from '../refusals.ts';
import { exampleProviderJob, providerJobSchema, showProviderJob } from '../jobs/provider-job-schema.ts';

export const listProviderJobs = defineOperation({
  name: 'listProviderJobs',
  summary: 'The jobs of your agency’s agents, the newest first.',
  description: 'Ask with `status=funded` for what waits to be started.',
  tag: 'provider',
  kind: 'query',
  scope: 'provider:fulfil',
  input: z.strictObject({
    status: jobStatusSchema.optional().meta({ description: 'Only jobs in this state.', example: 'funded' }),
    limit: limitField,
    cursor: cursorField,
  }),
  output: z.array(providerJobSchema),
  meta: listMeta,
  refusals: ['invalid_cursor', 'forbidden'],
  example: { input: { status: 'funded', limit: 20 }, output: [{ ...exampleProviderJob, status: 'funded' }] },
  async run({ limit, cursor, status }, { caller, at }, services) {
    if (caller.agency === null) return refuse('forbidden', 'this key belongs to no agency');
    const question = {
      view: jobsProjection.name,
      filter: { agency: caller.agency, status },
      order: '-createdAt',
      limit,
      cursor,
    };
    return listOwn(services, question, (job: JobDocument) => showProviderJob(job, at, services));
  },
});

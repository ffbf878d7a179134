import { z } from 'zod';
import { type JobDocument, jobsProjection, jobStatusSchema } from '../../../projections/jobs.ts';
import { listInput, listMeta, listPage } from '../lists.ts';
import { defineOperation } from '../operation.ts';
import { parseDocument } from '../read-view.ts';
import { refuse } from '../refusals.ts';
import { exampleProviderJob, providerJobSchema, showProviderJob } from './job-schema.ts';

export const listProviderJobs = defineOperation({
  name: 'listProviderJobs',
  summary: 'The jobs of your agency’s agents, the newest first.',
  description: 'Ask with `status=funded` for what waits to be started.',
  tag: 'provider',
  kind: 'query',
  scope: 'provider:fulfil',
  input: z.strictObject({
    ...listInput,
    status: jobStatusSchema.optional().meta({ description: 'Only jobs in this state.', example: 'funded' }),
  }),
  output: z.array(providerJobSchema),
  meta: listMeta,
  refusals: ['invalid_cursor', 'forbidden'],
  example: { input: { status: 'funded' }, output: [{ ...exampleProviderJob, status: 'funded' }] },
  async run({ limit, cursor, status }, { caller }, services) {
    if (caller.agency === null) return refuse('forbidden', 'this key belongs to no agency');
    const filter = { agency: caller.agency, ...(status === undefined ? {} : { status }) };
    const query = { filter, order: '-createdAt' };
    const list = { view: jobsProjection.name, query, limit, cursor };
    const page = await listPage(services.views, 'listProviderJobs', list);
    if (!page.ok) return page;
    const jobs = page.rows.map((row) => showProviderJob(parseDocument<JobDocument>(row)));
    return { ok: true, data: jobs, meta: page.meta };
  },
});

import { z } from 'zod';
import { AGENCIES, agencyDocument } from '../../../projections/agencies.ts';
import { defineOperation, StoredJson } from '../operation.ts';
import { exampleAgency } from './example-market.ts';
import { agencySlugInput, DIRECTORY_CACHE_SECONDS, nothingAt } from './fields.ts';

export const getAgency = defineOperation({
  name: 'getAgency',
  summary: 'One agency with the slugs of its agents and bundles.',
  description: 'Suspended and retired agents are left out.',
  tag: 'directory',
  kind: 'query',
  scope: null,
  input: z.strictObject({ slug: agencySlugInput }),
  output: agencyDocument,
  refusals: ['not_found'],
  cacheSeconds: DIRECTORY_CACHE_SECONDS,
  example: { input: { slug: exampleAgency.slug }, output: exampleAgency },
  async run({ slug }, _call, { views }) {
    const text = await views.getJson(AGENCIES, slug);
    return text === undefined ? nothingAt('agency', slug) : { ok: true, data: new StoredJson(text) };
  },
});

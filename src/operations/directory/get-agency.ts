import { z } from 'zod';
import { AGENCIES, agencyDocument } from '../../../projections/agencies.ts';
import { defineOperation } from '../operation.ts';
import { exampleAgency } from './example-market.ts';
import { agencySlugInput, directoryRead, storedDocument } from './fields.ts';

export const getAgency = defineOperation({
  ...directoryRead,
  name: 'getAgency',
  summary: 'One agency with the slugs of its agents and bundles.',
  description: 'Suspended and retired agents are left out.',
  input: z.strictObject({ slug: agencySlugInput }),
  output: agencyDocument,
  refusals: ['not_found'],
  example: { input: { slug: exampleAgency.slug }, output: exampleAgency },
  run: ({ slug }, _call, { views }) => storedDocument(views, AGENCIES, slug, 'agency'),
});

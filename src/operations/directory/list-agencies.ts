import { z } from 'zod';
import { AGENCIES, agencyDocument } from '../../../projections/agencies.ts';
import { cursorField, limitField, listMeta, listPage, orderOf, searchField } from '../list-page.ts';
import { defineOperation } from '../operation.ts';
import { exampleAgency } from './example-market.ts';
import { directoryRead } from './fields.ts';

export const listAgencies = defineOperation({
  ...directoryRead,
  name: 'listAgencies',
  summary: 'Find provider agencies by words or country.',
  description:
    'Every word of `q` must match in name, tagline, legal name or description; the best matches come first. ' +
    'Without `q` they are sorted by name.',
  input: z.strictObject({
    q: searchField,
    country: z
      .string()
      .regex(/^[A-Z]{2}$/, 'must be a country code such as DE')
      .optional()
      .meta({ description: 'Only agencies established there: ISO 3166-1 alpha-2.', example: 'DE' }),
    limit: limitField,
    cursor: cursorField,
  }),
  output: z.array(agencyDocument),
  meta: listMeta,
  refusals: ['invalid_cursor'],
  example: { input: { country: 'DE', limit: 20 }, output: [exampleAgency] },
  async run({ q, country, limit, cursor }, call, { views }) {
    const order = orderOf(undefined, q, 'name');
    return listPage(views, { view: AGENCIES, filter: { country }, order, q, limit, cursor, asking: call });
  },
});

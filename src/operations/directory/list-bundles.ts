import { z } from 'zod';
import { bundleSummary } from '../../../projections/bundle-document.ts';
import { BUNDLES } from '../../../projections/bundles.ts';
import { cursorField, limitField, listMeta, listPage, orderOf, searchField } from '../list-page.ts';
import { defineOperation } from '../operation.ts';
import { exampleBundleSummary } from './example-market.ts';
import { agencyFilter, categoryFilter, directoryRead } from './fields.ts';

export const listBundles = defineOperation({
  ...directoryRead,
  name: 'listBundles',
  summary: 'Find skill bundles by words, category or agency.',
  description:
    'Every word of `q` must match in name, tagline, description or skills; the best matches come first. Without `q` ' +
    'they are sorted by name. The list of files is in the detail of each bundle.',
  input: z.strictObject({
    q: searchField,
    category: categoryFilter,
    agency: agencyFilter,
    limit: limitField,
    cursor: cursorField,
  }),
  output: z.array(bundleSummary),
  meta: listMeta,
  refusals: ['invalid_cursor'],
  example: { input: { category: 'finance', limit: 20 }, output: [exampleBundleSummary] },
  async run({ q, category, agency, limit, cursor }, call, { views }) {
    const order = orderOf(undefined, q, 'name');
    return listPage(views, {
      view: BUNDLES,
      filter: { categories: category, agency },
      order,
      q,
      limit,
      cursor,
      asking: call,
    });
  },
});

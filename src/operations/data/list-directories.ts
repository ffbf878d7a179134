import { z } from 'zod';
import { dataSetDocument, type DataSetDocument, DATA_SETS } from '../../../projections/data-sets.ts';
import { cursorField, limitField, listMeta, listPage } from '../list-page.ts';
import { dataRead } from '../metering.ts';
import { defineOperation } from '../operation.ts';
import { exampleDirectory } from './example-rows.ts';
import { withNext } from './list-rows.ts';

export const listDirectories = defineOperation({
  ...dataRead,
  name: 'listDirectories',
  summary: 'Which platforms and content types there are, with how many rows, and when each changed.',
  description: 'The rows of one are at `/api/v1/directory/{platform}/{contentType}`.',
  input: z.strictObject({ limit: limitField, cursor: cursorField }),
  output: z.array(dataSetDocument),
  meta: listMeta,
  refusals: ['invalid_cursor'],
  example: { input: { limit: 20 }, output: [exampleDirectory] },
  async run({ limit, cursor }, _call, { views }) {
    const question = { view: DATA_SETS, filter: { kind: 'directory' }, order: 'dataset', limit, cursor };
    return withNext(await listPage<DataSetDocument>(views, question));
  },
});

import { z } from 'zod';
import { dataSets } from '../../../projections/data-sets.ts';
import {
  DIRECTORY_ROWS,
  directoryRowDocument,
  type DirectoryRowDocument,
} from '../../../projections/directory-rows.ts';
import { nothingAt } from '../directory/fields.ts';
import { orderOf } from '../list-page.ts';
import { defineOperation } from '../operation.ts';
import { slug } from '../../../events/common.ts';
import { readShared } from '../read-view.ts';
import { EXAMPLE_CONTENT_TYPE, EXAMPLE_PLATFORM, exampleServer } from './example-rows.ts';
import { rowQuestion, rowsMeta, sourceWord } from './fields.ts';
import { listRows, wordFilter } from './list-rows.ts';

export const listDirectoryRows = defineOperation({
  name: 'listDirectoryRows',
  summary: 'Find rows of a platform’s directory by words and category.',
  description:
    'Every word of `q` must match in name, category, description, author or id; the best matches come first. Without ' +
    '`q` rows come by name. Fields are as the source has them; `category` is compared without regard to case.',
  tag: 'data',
  kind: 'query',
  scope: 'data:read',
  metered: 'quota',
  input: z.strictObject({
    platform: slug.meta({ description: 'The platform.', example: EXAMPLE_PLATFORM }),
    contentType: slug.meta({ description: 'What of it.', example: EXAMPLE_CONTENT_TYPE }),
    ...rowQuestion,
    category: sourceWord('Only what is for this, in the source’s words.', 'Finance'),
  }),
  output: z.array(directoryRowDocument),
  meta: rowsMeta,
  refusals: ['not_found', 'invalid_cursor'],
  example: {
    input: {
      platform: EXAMPLE_PLATFORM,
      contentType: EXAMPLE_CONTENT_TYPE,
      status: 'listed',
      format: 'json',
      limit: 20,
    },
    output: [exampleServer],
  },
  async run({ platform, contentType, q, status, updatedSince, limit, cursor, category }, _call, { views }) {
    const dataset = `directory/${platform}/${contentType}`;
    if ((await readShared(views, dataSets, dataset)) === undefined)
      return nothingAt('directory', `${platform}/${contentType}`);
    return listRows<DirectoryRowDocument>(views, {
      view: DIRECTORY_ROWS,
      dataset,
      filter: { dataset, category: wordFilter(category) },
      status,
      updatedSince,
      order: orderOf(undefined, q, 'name'),
      q,
      limit,
      cursor,
    });
  },
});

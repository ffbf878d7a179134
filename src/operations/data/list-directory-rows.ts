import { z } from 'zod';
import { DATA_SETS, type DataSetDocument, dataSets } from '../../../projections/data-sets.ts';
import { directoryRowDocument, type DirectoryRowDocument } from '../../../projections/directory-rows.ts';
import type { ViewStore } from '../../../projections/view-store.ts';
import { orderOf } from '../list-page.ts';
import { dataRead } from '../metering.ts';
import { defineOperation } from '../operation.ts';
import { slug } from '../../../events/common.ts';
import { readShared } from '../read-view.ts';
import { parseDocument } from '../../../projections/stored-document.ts';
import { refuse } from '../refusals.ts';
import { EXAMPLE_CONTENT_TYPE, EXAMPLE_PLATFORM, exampleServer } from './example-rows.ts';
import { rowQuestion, rowsMeta, sourceWord } from './fields.ts';
import { listRows, wordFilters } from './list-rows.ts';

export const listDirectoryRows = defineOperation({
  ...dataRead,
  name: 'listDirectoryRows',
  summary: 'Find rows of a platform’s directory by words and category.',
  description:
    'Every word of `q` must match in name, category, description, author or id; the best matches come first. Without ' +
    '`q` rows come by name. Fields are as the source has them; `category` is compared without regard to case.',
  alsoAsCsv: true,
  input: z.strictObject({
    platform: slug.meta({ description: 'The platform.', example: EXAMPLE_PLATFORM }),
    contentType: slug.meta({ description: 'What of it.', example: EXAMPLE_CONTENT_TYPE }),
    ...rowQuestion,
    category: sourceWord('Only what is for this, in the source’s words.', 'Finance'),
  }),
  output: z.array(directoryRowDocument),
  meta: rowsMeta,
  refusals: ['plan_required', 'not_found', 'invalid_cursor'],
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
  async run({ platform, contentType, category, ...asked }, call, services) {
    const dataset = `directory/${platform}/${contentType}`;
    if ((await readShared(services.views, dataSets, dataset)) === undefined)
      return noDirectory(services.views, `${platform}/${contentType}`);
    return listRows<DirectoryRowDocument>(
      {
        kind: 'directory',
        dataset,
        filter: wordFilters({ category }),
        order: orderOf(undefined, asked.q, 'name'),
        ...asked,
      },
      call,
      services,
    );
  },
});

const MAX_NAMED = 50;

/** Names those that there are: whoever guesses, as models do, need not guess twice. */
async function noDirectory(views: ViewStore, asked: string) {
  const question = { filter: { kind: 'directory' }, order: 'dataset', limit: MAX_NAMED };
  const { rows } = await views.page(DATA_SETS, question);
  const there = rows.map((row) => {
    const { platform, contentType } = parseDocument<DataSetDocument>(row);
    return `${platform}/${contentType}`;
  });
  const known = there.length === 0 ? 'there is none yet' : `there are ${there.join(', ')}`;
  return refuse('not_found', `There is no directory ${asked}; ${known}.`);
}

import { z } from 'zod';
import { changeDocument, DIRECTORY_CHANGES } from '../../../projections/directory-changes.ts';
import { boundedPage, limitField, listMeta } from '../list-page.ts';
import { defineOperation, StoredJson } from '../operation.ts';
import { refuse } from '../refusals.ts';
import { exampleChanges } from './example-market.ts';
import { countField, nullableTextField } from '../../../projections/public-fields.ts';

export const listChanges = defineOperation({
  name: 'listChanges',
  summary: 'What changed in the directory after a position, in order: for mirrors.',
  description:
    'Start without `after`, then pass the position of the last row you have handled. An empty answer means that you ' +
    'are up to date. `retired` is a tombstone. Nothing is ever inserted before a position you were given; a position ' +
    'that is none of ours is refused, so that no mirror believes itself up to date by mistake.',
  tag: 'directory',
  kind: 'query',
  scope: null,
  input: z.strictObject({
    after: z
      .string()
      .regex(/^[\x21-\x7e]{1,128}$/, 'must be a position from an earlier answer')
      .optional()
      .meta({
        description: 'Changes after this position; from the beginning when left out.',
        example: exampleChanges[0]?.position,
      }),
    limit: limitField,
  }),
  output: z.array(changeDocument),
  meta: listMeta.extend({
    nextCursor: nullableTextField(
      'Pass it as `after` for the next page; null when there is nothing more for now.',
      null,
    ),
    total: countField('How many changes there have been in all.', 42),
  }),
  refusals: ['invalid_cursor'],
  cacheSeconds: 5,
  example: { input: { after: exampleChanges[0]?.position, limit: 20 }, output: exampleChanges.slice(1) },
  async run({ after, limit }, _call, { views }) {
    if (after !== undefined && (await views.getJson(DIRECTORY_CHANGES, after)) === undefined) {
      return refuse('invalid_cursor', 'no change stands at this position: start without one');
    }
    const page = await boundedPage(views, DIRECTORY_CHANGES, {
      filter: {},
      order: 'position',
      limit,
      ...(after === undefined ? {} : { after: [after, after] }),
    });
    const last = page.next?.at(-1);
    return {
      ok: true,
      data: new StoredJson(`[${page.rows.join(',')}]`),
      meta: { limit, nextCursor: last === undefined ? null : String(last), total: page.total },
    };
  },
});

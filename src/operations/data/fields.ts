/** What inputs and answers of the Data API have in common. */
import { z } from 'zod';
import { dataSetDocument } from '../../../projections/data-sets.ts';
import { cursorField, limitField, listMeta, searchField } from '../list-page.ts';
import { anyTime } from '../schemas/any-time.ts';
import { nullableTextField } from '../../../projections/public-fields.ts';

/** A word of the source, compared without regard to its case. */
export const sourceWord = (description: string, example: string) =>
  z.string().min(1).max(200).optional().meta({ description, example });

/** What every list of rows can be asked for. */
export const rowQuestion = {
  q: searchField,
  status: z.enum(['listed', 'retired', 'all']).default('listed').meta({
    description: 'Only rows that their source lists, only those that it lists no more, or both.',
    example: 'listed',
  }),
  updatedSince: anyTime.optional().meta({
    description: 'Only rows that changed, were retired or returned at this time or later.',
    example: '2026-11-01T00:00:00.000Z',
  }),
  format: z.enum(['json', 'csv']).default('json').meta({
    description: 'The form of the answer; csv is the rows alone, with the plan enterprise.',
    example: 'json',
  }),
  limit: limitField,
  cursor: cursorField,
};

/** What a list of rows says of its data set, beside what every list says. */
export const rowsMeta = listMeta.extend({
  attribution: dataSetDocument.shape.attribution,
  position: nullableTextField(
    'Where the last change of the data set stands among all changes; null before the first.',
    '0000000000000042',
  ),
  sync: dataSetDocument.shape.sync.optional().meta({
    description: 'Only where it is degraded: its upstream gives nothing that can be used.',
    example: undefined,
  }),
});

/** The view of data sets: which there are, how many rows each has, what was imported last, how its upstream is. */
import { z } from 'zod';
import { attributionSchema, SOURCE_FAULTS } from '../events/data-set-events.ts';
import type { RecordedEvent } from '../events/event.ts';
import { defineProjection, type Handler, on } from './projection.ts';
import { countField, nullableTextField, textField, timeField } from './public-fields.ts';

export const DATA_SETS = 'data-sets';

const { text, url, licence } = attributionSchema.shape;
const attributionDocument = z.strictObject({
  text: text.meta({ description: 'Whom to name.', example: 'awesome-ai-tools and its contributors' }),
  url: url.meta({ description: 'Where to link to; null for nowhere.', example: 'https://lists.example/' }),
  licence: licence.meta({ description: 'Its licence, as SPDX names it where it can.', example: 'CC-BY-4.0' }),
});

const syncDocument = z
  .strictObject({
    state: z.enum(['ok', 'degraded']).meta({
      description: '`degraded`: its upstream gives nothing that can be used; these are the last good rows.',
      example: 'ok',
    }),
    reason: z.enum(SOURCE_FAULTS).nullable().meta({ description: 'Why it is degraded.', example: null }),
    detail: nullableTextField('The same in words.', null),
    since: timeField('Since when; null where it was always so.').nullable(),
  })
  .meta({
    description: 'How its upstream is.',
    example: { state: 'ok', reason: null, detail: null, since: null },
  });

export const dataSetDocument = z
  .strictObject({
    dataset: textField('Its name: what `dataset` takes in every address.', 'directory/mcp/servers'),
    kind: z
      .enum(['directory', 'tools', 'models'])
      .meta({ description: 'Of what it is.', example: 'directory' }),
    platform: nullableTextField('The platform of a directory; null for the others.', 'mcp'),
    contentType: nullableTextField('The content type of a directory; null for the others.', 'servers'),
    listed: countField('How many rows are listed.', 1001),
    retired: countField('How many rows were listed once and are no more.', 12),
    updatedAt: timeField('When a row last changed; when it was first imported, if none has.'),
    position: textField(
      'Where the last change of a row stands among all changes. Opaque.',
      '0000000000000042',
    ),
    attribution: attributionDocument.nullable().meta({
      description: 'Whom to name where rows are shown, and the licence; null where nobody said.',
      example: { text: 'awesome-ai-tools and its contributors', url: null, licence: 'CC-BY-4.0' },
    }),
    sync: syncDocument,
  })
  .meta({ id: 'DataSet', description: 'A data set of the Directory Data API.' });
export type DataSetDocument = z.output<typeof dataSetDocument>;

/** Sources may be told of before the first import: then there is a document without rows. */
export const dataSets = defineProjection<DataSetDocument>({
  name: DATA_SETS,
  version: 1,
  summary: 'Which data sets there are, with their counts, attribution and state of sync.',
  schema: dataSetDocument,
  fields: { kind: 'text', platform: 'text', dataset: 'text' },
  orders: { dataset: [{ field: 'dataset', direction: 'asc' }] },
  on: {
    ImportBegun: changing((doc, { data: { attribution } }) => ({
      attribution: attribution ?? doc.attribution,
    })),
    RowsListed: counting(({ rows }) => ({ listed: rows.length, retired: 0 })),
    RowsRevised: counting(() => ({ listed: 0, retired: 0 })),
    RowsReturned: counting(({ rows }) => ({ listed: rows.length, retired: -rows.length })),
    RowsRetired: counting(({ ids }) => ({ listed: -ids.length, retired: ids.length })),
    SourceDegraded: changing((_, { data: { reason, detail }, at }) => ({
      sync: { state: 'degraded', reason, detail, since: at },
    })),
    SourceRecovered: changing((_, { at }) => ({
      sync: { state: 'ok', reason: null, detail: null, since: at },
    })),
  },
  index: ({ kind, platform, dataset }) => ({ kind, platform, dataset }),
});

type OfDataSet = RecordedEvent & { readonly data: { readonly dataset: string } };

function changing<Event extends OfDataSet>(
  change: (doc: DataSetDocument, event: Event) => Partial<DataSetDocument>,
): Handler<DataSetDocument, Event> {
  return on('dataset', (doc, event) => {
    const before = doc ?? emptyDataSet(event);
    return { ...before, ...change(before, event) };
  });
}

function counting<Event extends OfDataSet>(
  more: (data: Event['data']) => Pick<DataSetDocument, 'listed' | 'retired'>,
): Handler<DataSetDocument, Event> {
  return changing((before, { data, at, position }) => {
    const { listed, retired } = more(data);
    return {
      listed: before.listed + listed,
      retired: before.retired + retired,
      updatedAt: at,
      position,
    };
  });
}

function emptyDataSet({ data, at, position }: OfDataSet): DataSetDocument {
  const [first, platform = null, contentType = null] = data.dataset.split('/');
  return {
    dataset: data.dataset,
    kind: first === 'tools' || first === 'models' ? first : 'directory',
    platform,
    contentType,
    listed: 0,
    retired: 0,
    updatedAt: at,
    position,
    attribution: null,
    sync: { state: 'ok', reason: null, detail: null, since: null },
  };
}

import { z } from 'zod';
import { dataSetName } from '../../../events/data-set-events.ts';
import { sha256Hex } from '../../../events/hash-chain.ts';
import { DIRECTORY, DIRECTORY_ROWS } from '../../../projections/directory-rows.ts';
import { type DataRow, rowFields } from '../../../projections/data-rows.ts';
import { dataSets } from '../../../projections/data-sets.ts';
import { MODELS } from '../../../projections/models.ts';
import { POSITION } from '../../../projections/page-query.ts';
import { isShown, RETIRED_SHOWN_DAYS } from '../../../projections/retired-rows.ts';
import { TOOLS } from '../../../projections/tools.ts';
import type { ViewStore } from '../../../projections/view-store.ts';
import { boundedPage, limitField, REVISION_DIGITS, rowsOfPage } from '../list-page.ts';
import { dataRead } from '../metering.ts';
import { defineOperation, StoredJson } from '../operation.ts';
import { readShared } from '../read-view.ts';
import { parseDocument } from '../../../projections/stored-document.ts';
import { refuse } from '../refusals.ts';
import { changeCursor, type Place, readChangeCursor } from './change-cursor.ts';
import { exampleTool } from './example-rows.ts';
import { rowsMeta } from './fields.ts';
import { countField, nullableTextField, textField } from '../../../projections/public-fields.ts';

const changedRow = z.looseObject(rowFields).meta({
  id: 'ChangedRow',
  description:
    'A row as the list of its data set has it; `retired` is a tombstone, and has no more than these fields once the row ' +
    `cannot be read any more, after ${RETIRED_SHOWN_DAYS} days.`,
});

export const listDataChanges = defineOperation({
  ...dataRead,
  name: 'listDataChanges',
  summary: 'Which rows changed, were retired or returned, in order: for mirrors.',
  description:
    'Begin without `after`, then pass `meta.cursor`, in the next request or in the next months: each row comes at the ' +
    'place of its last change, so that whoever has read to the end has what the lists have, retired rows included. ' +
    'Rows of one data set come in the order of their changes. A cursor is good for 90 days in one market, until that is moved or set back; a row that went longer ago is ' +
    'told of without what its source said.',
  input: z.strictObject({
    dataset: dataSetName.optional().meta({
      description: 'Only changes of this data set: tools, models, or directory/PLATFORM/TYPE.',
      example: 'tools',
    }),
    after: z.string().min(1).max(2_048).optional().meta({
      description:
        'The `meta.cursor` of an earlier answer for the same `dataset`; from the beginning when left out.',
      example: 'WyJxVGl2UXJ5M1VZQ0xtT1pQIiwyMDc4OV0',
    }),
    limit: limitField,
  }),
  output: z.array(changedRow),
  meta: rowsMeta.pick({ limit: true, nextCursor: true, total: true }).extend({
    nextCursor: nullableTextField(
      'Pass it as `after` for the next page; null when there is nothing more for now.',
      null,
    ),
    total: countField('How many rows there are in all, retired ones too.', 42),
    cursor: textField(
      'Where these rows end: pass it as `after`, now or later. Good for 90 days.',
      'WyJxVGl2UXJ5M1VZQ0xtT1pQIiwyMDc4OV0',
    ),
  }),
  refusals: ['invalid_cursor', 'cursor_expired'],
  example: { input: { dataset: 'tools', limit: 20 }, output: [exampleTool] },
  async run({ dataset, after, limit }, { at }, { views, events }) {
    const sources = dataset === undefined ? ALL : [sourceOf(dataset)];
    const binding = { view: 'data-changes', dataset };
    const from =
      after === undefined ? null : await readChangeCursor(after, binding, sources.length, at, events);
    if (from !== null && !from.ok) return from;
    if (dataset !== undefined && !(await isThere(views, dataset))) return noDataSet(dataset);
    const pages = await Promise.all(
      sources.map((source, i) => readSource(views, source, from?.places[i] ?? null, { limit, at })),
    );
    const merged = inOrder(pages.flatMap(({ rows }) => rows)).slice(0, limit);
    const rows = merged.slice(0, rowsOfPage(merged.map(({ json }) => json)));
    const places = sources.map(({ view }, i) => lastOf(rows, view) ?? from?.places[i] ?? null);
    const hasMore =
      pages.some(({ isWhole }) => !isWhole) || rows.length < pages.flatMap((page) => page.rows).length;
    const cursor = await changeCursor(places, binding, at, events);
    const total = pages.reduce((sum, page) => sum + page.total, 0);
    const text = `[${rows.map(({ json }) => json).join(',')}]`;
    return {
      ok: true,
      data: new StoredJson(text),
      meta: { limit, nextCursor: hasMore ? cursor : null, total, cursor },
      revision: sha256Hex(`${text} ${limit} ${total} ${hasMore} ${cursor}`).slice(0, REVISION_DIGITS),
      ...(hasMore ? { next: { after: cursor } } : {}),
    };
  },
});

/** A view of rows, whole or one data set of it. */
interface Source {
  readonly view: string;
  readonly filter: Readonly<Record<string, string>>;
}

const ALL: readonly Source[] = [DIRECTORY_ROWS, TOOLS, MODELS].map((view) => ({ view, filter: {} }));

function sourceOf(dataset: string): Source {
  if (dataset === TOOLS || dataset === MODELS) return { view: dataset, filter: {} };
  return { view: DIRECTORY_ROWS, filter: { dataset } };
}

/** Tools and models are there before their first row: whoever begins a mirror early gets nothing yet. */
async function isThere(views: ViewStore, dataset: string): Promise<boolean> {
  const isAlways = dataset === TOOLS || dataset === MODELS;
  return isAlways || (await readShared(views, dataSets, dataset)) !== undefined;
}

function noDataSet(dataset: string) {
  const details = [{ path: 'dataset', message: `there is no ${dataset}; GET /api/v1/directory lists them` }];
  return refuse('invalid_request', `There is no data set ${dataset}.`, { details });
}

interface PlacedRow {
  readonly view: string;
  readonly json: string;
  readonly position: string;
  readonly key: string;
}

async function readSource(
  views: ViewStore,
  { view, filter }: Source,
  after: Place,
  { limit, at }: { readonly limit: number; readonly at: string },
) {
  const page = await boundedPage(views, view, {
    filter,
    order: POSITION,
    limit,
    ...(after === null ? {} : { after }),
  });
  return {
    rows: page.rows.map((json) => placed(view, json, at)),
    isWhole: page.next === null,
    total: page.total,
  };
}

function placed(view: string, json: string, at: string): PlacedRow {
  const row = parseDocument<DataRow>(json);
  const { dataset, id, position } = row;
  const key = view === DIRECTORY_ROWS ? `${dataset.slice(DIRECTORY.length)}/${id}` : id;
  return { view, json: isShown(row, at) ? json : JSON.stringify(tombstoneOf(row)), position, key };
}

/** That the row went, and nothing of what its source said. */
function tombstoneOf({
  id,
  dataset,
  status,
  firstSeenAt,
  updatedAt,
  position,
  attribution,
}: DataRow): DataRow {
  return { id, dataset, status, firstSeenAt, updatedAt, position, sourceUrl: null, attribution };
}

/** Each view's rows are in order already, and no position is of two views. */
function inOrder(rows: readonly PlacedRow[]): readonly PlacedRow[] {
  return rows.toSorted((a, b) => (a.position < b.position ? -1 : a.position > b.position ? 1 : 0));
}

function lastOf(rows: readonly PlacedRow[], view: string): Place | undefined {
  const last = rows.findLast((row) => row.view === view);
  return last && [last.position, last.key];
}

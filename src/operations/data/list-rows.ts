/** A page of rows of the Data API as JSON or CSV, with what is known of their data set. */
import type { z } from 'zod';
import { sha256Hex } from '../../../events/hash-chain.ts';
import { canonicalJson } from '../../../events/canonical-json.ts';
import { type DataSetDocument, dataSets } from '../../../projections/data-sets.ts';
import { type DataRow, filterText } from '../../../projections/data-rows.ts';
import { dayOf } from '../../../projections/retired-rows.ts';
import type { Condition, ViewStore } from '../../../projections/view-store.ts';
import { contentTypeOf, fileNameOf, placeOf, rowWriter } from '../../exporting/row-formats.ts';
import { listPage, type ListedPage, REVISION_DIGITS } from '../list-page.ts';
import { refuseWithoutExport } from '../exports/export-schema.ts';
import { type KeyedCall, type Outcome, TextAnswer } from '../operation.ts';
import { readShared, type Shared } from '../read-view.ts';
import type { Services } from '../services.ts';
import type { rowsMeta } from './fields.ts';
import { parseDocument } from '../../../projections/stored-document.ts';

export interface RowsQuestion {
  readonly kind: DataSetDocument['kind'];
  readonly dataset: string;
  readonly filter: Readonly<Record<string, Condition | undefined>>;
  readonly status: DataRow['status'] | 'all';
  readonly updatedSince?: string | undefined;
  readonly format: 'json' | 'csv';
  readonly order: string;
  readonly q?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Rows as they are stored. The revision follows from data and question alone: it is the same for every key and plan. */
export async function listRows<Row>(
  question: RowsQuestion,
  call: KeyedCall,
  services: Pick<Services, 'views' | 'metering'>,
): Promise<Outcome<Row[]>> {
  if (question.format === 'json') return listAsJson(services.views, question, call);
  const refused = await refuseWithoutExport(call, services.metering);
  if (refused !== null) return refused;
  const page = await listAsJson<Row>(services.views, question, call);
  return asCsv(page, question.dataset, placeOf(question).columns);
}

async function listAsJson<Row>(
  views: ViewStore,
  question: RowsQuestion,
  call: KeyedCall,
): Promise<ListedPage<Row>> {
  const { dataset, status, updatedSince, order, q, limit, cursor } = question;
  const { view, filter: ofSet } = placeOf(question);
  const filter = {
    ...ofSet,
    ...question.filter,
    status: status === 'all' ? undefined : status,
    updatedAtMs: updatedSince === undefined ? undefined : { min: Date.parse(updatedSince) },
  };
  // Asked first: a position is never beyond what the rows show of it.
  const set = await readShared<DataSetDocument>(views, dataSets, dataset);
  // Listed rows are shown whatever the day; a cursor outlives it.
  const horizon =
    status === 'listed'
      ? {}
      : { horizon: { name: status, filter: { shownUntilDay: { min: dayOf(call.at) } } } };
  const page = await listPage<never>(views, {
    view,
    filter,
    order,
    q,
    limit,
    cursor,
    asking: call,
    ...horizon,
  });
  if (!page.ok) return page;
  const known = outcomes.get(page);
  if (known !== undefined && known.set === set) return known.outcome;
  const said = saidOf(set);
  const revision = sha256Hex(`${page.revision} ${canonicalJson(said)}`).slice(0, REVISION_DIGITS);
  const outcome = withNext<never>({ ...page, meta: { ...page.meta, ...said }, revision });
  outcomes.set(page, { set, outcome });
  return outcome;
}

/** Of pages that come again, with the data set that was told of beside them. */
const outcomes = new WeakMap<ListedPage<unknown>, KnownOutcome>();

interface KnownOutcome {
  readonly set: Shared<DataSetDocument> | undefined;
  readonly outcome: ListedPage<never>;
}

/** The page with the address of the next, for those who follow links. */
export function withNext<Row>(page: ListedPage<Row>): ListedPage<Row> {
  if (!page.ok || page.meta.nextCursor === null) return page;
  return { ...page, next: { cursor: page.meta.nextCursor } };
}

type Said = Pick<z.output<typeof rowsMeta>, 'attribution' | 'position' | 'sync'>;

function saidOf(set: Shared<DataSetDocument> | undefined): Said {
  if (set === undefined) return { attribution: null, position: null };
  const { attribution, position, sync } = set;
  return { attribution, position, ...(sync.state === 'degraded' ? { sync } : {}) };
}

/** Words of the source as the views have them in their index. */
export function wordFilters(words: Readonly<Record<string, string | undefined>>): RowsQuestion['filter'] {
  return Object.fromEntries(Object.entries(words).map(([name, word]) => [name, word && filterText(word)]));
}

/**
 * The page as CSV: guards, columns and their order are those of an export. Each page begins with the header.
 * @param page as it is listed as JSON, whose rows are as they are stored
 */
function asCsv<Row>(page: ListedPage<Row>, dataset: string, columns: readonly string[]): Outcome<Row[]> {
  if (!page.ok) return page;
  const { head, write } = rowWriter('csv', columns);
  const rows = parseDocument<Readonly<Record<string, unknown>>[]>(page.data.text);
  const text = head + rows.map((row) => write('', row)).join('');
  const data = new TextAnswer(fileNameOf(dataset, 'csv'), contentTypeOf('csv'), text);
  // Its tag is another one than that of the JSON.
  return { ...page, data, revision: sha256Hex(`${page.revision} ${text}`).slice(0, REVISION_DIGITS) };
}

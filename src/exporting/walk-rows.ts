/**
 * All rows of a data set as they were at one position of the log. They are read page by page in the order of their last
 * changes, while others may write: a row that changes meanwhile moves to the end, where it is met with a position
 * behind that of the view at the start. Whoever meets one has read a mixture, and begins again.
 */
import { parseDocument } from '../../projections/stored-document.ts';
import type { Keyset, ViewStore } from '../../projections/view-store.ts';
import type { RowsPlace } from './row-formats.ts';

/** So many are in memory at a time; each has some hundred bytes, and 64 KiB at most. */
const PAGE_ROWS = 250;
const ORDER = 'position';

export interface Row {
  readonly json: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Some row changed while they were read. */
export class RowsMoved extends Error {
  override readonly name = 'RowsMoved';
}

/**
 * Pages of rows, retired ones too.
 * @returns where the last change of a row stands; null without rows
 * @throws {RowsMoved} after all rows, or before
 */
export async function* walkRows(
  views: Pick<ViewStore, 'page' | 'status'>,
  { view, filter }: RowsPlace,
): AsyncGenerator<readonly Row[], string | null> {
  const before = await standing(views, view);
  let position: string | null = null;
  let after: Keyset | undefined;
  let count = 0;
  for (;;) {
    const query = { filter, order: ORDER, limit: PAGE_ROWS, ...(after === undefined ? {} : { after }) };
    const page = await views.page(view, query);
    const rows = page.rows.map((json) => ({ json, fields: parseDocument<Row['fields']>(json) }));
    position = positionOf(rows.at(-1)) ?? position;
    if (position !== null && (before.checkpoint === null || position > before.checkpoint))
      throw new RowsMoved();
    count += rows.length;
    yield rows;
    if (page.next === null) {
      // A store may show the rows of a commit one after the other: then one was met twice, or never.
      if (count !== page.total) throw new RowsMoved();
      break;
    }
    after = page.next;
  }
  const { generation } = await standing(views, view);
  if (generation !== before.generation) throw new RowsMoved();
  return position;
}

/** How far the view is that is read. */
async function standing(views: Pick<ViewStore, 'status'>, view: string) {
  const found = (await views.status()).find(({ view: name, live }) => live && name === view);
  return { generation: found?.generation ?? null, checkpoint: found?.checkpoint ?? null };
}

function positionOf(row: Row | undefined): string | null {
  const position = row?.fields['position'];
  return typeof position === 'string' ? position : null;
}

/** The rows of a data set, page by page in the order of their last changes, and how far their view is. */
import { parseDocument } from '../../projections/stored-document.ts';
import type { Keyset, Page, PageQuery, ViewStore } from '../../projections/view-store.ts';
import type { RowsPlace } from './row-formats.ts';

/** So many are in memory at a time; each has some hundred bytes, and 64 KiB at most. */
const PAGE_ROWS = 250;
const ORDER = 'position';

export interface Row {
  readonly json: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What was read is of two states: whoever reads begins again. */
export class RowsMoved extends Error {
  override readonly name = 'RowsMoved';
}

export interface WalkedPage {
  readonly rows: readonly Row[];
  /** Of the last change in it; null where it has no rows. */
  readonly position: string | null;
}

export async function* pagesOf(
  read: (query: PageQuery) => Promise<Page>,
  { filter }: RowsPlace,
): AsyncGenerator<WalkedPage> {
  let after: Keyset | null | undefined;
  while (after !== null) {
    const query = { filter, order: ORDER, limit: PAGE_ROWS, ...(after === undefined ? {} : { after }) };
    const page: Page = await read(query);
    const rows = page.rows.map(rowOf);
    yield { rows, position: positionOf(rows.at(-1)) };
    after = page.next;
  }
}

/** @param json as its view keeps it */
export function rowOf(json: string): Row {
  return { json, fields: parseDocument<Row['fields']>(json) };
}

/** Where its last change stands. */
export function positionOf(row: Row | undefined): string | null {
  const position = row?.fields['position'];
  return typeof position === 'string' ? position : null;
}

export function isListed({ fields }: Row): boolean {
  return fields['status'] === 'listed';
}

export interface LiveGeneration {
  readonly generation: number | null;
  readonly checkpoint: string | null;
}

/** The generation that is read, and how far it is. */
export async function liveGeneration(
  views: Pick<ViewStore, 'status'>,
  view: string,
): Promise<LiveGeneration> {
  const found = (await views.status()).find(({ view: name, live }) => live && name === view);
  return { generation: found?.generation ?? null, checkpoint: found?.checkpoint ?? null };
}

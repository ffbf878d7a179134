/**
 * All rows of a data set as they were at one position of the log. They are read page by page in the order of their last
 * changes, while others may write. A snapshot does not show what they write. In an engine without one a row that changes
 * meanwhile moves to the end, where it is met with a position behind that of the view at the start: whoever meets one has
 * read a mixture, and begins again.
 */
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

/** Some row changed while they were read. */
export class RowsMoved extends Error {
  override readonly name = 'RowsMoved';
}

/** What walking takes of the views. */
export type WalkedViews = Pick<ViewStore, 'page' | 'status' | 'snapshot'>;

/**
 * Pages of rows, retired ones too.
 * @returns where the last change of a row stands; null without rows
 * @throws {RowsMoved} after all rows, or before
 */
export async function* walkRows(
  views: WalkedViews,
  place: RowsPlace,
): AsyncGenerator<readonly Row[], string | null> {
  const { view } = place;
  const snapshot = await views.snapshot?.(view);
  try {
    const before = await liveGeneration(views, view);
    if (snapshot === undefined) return yield* walkMoving(views, place, before);
    if (snapshot.generation !== before.generation) throw new RowsMoved();
    let position: string | null = null;
    for await (const page of pagesOf((query) => snapshot.page(query), place)) {
      position = page.position ?? position;
      // Made from another log, whose positions mean nothing here.
      if (position !== null && before.checkpoint === null) throw new RowsMoved();
      yield page.rows;
    }
    return position;
  } finally {
    await snapshot?.close();
  }
}

async function* walkMoving(
  views: WalkedViews,
  place: RowsPlace,
  before: LiveGeneration,
): AsyncGenerator<readonly Row[], string | null> {
  const { view } = place;
  let position: string | null = null;
  let count = 0;
  let total = 0;
  for await (const page of pagesOf((query) => views.page(view, query), place)) {
    position = page.position ?? position;
    if (position !== null && (before.checkpoint === null || position > before.checkpoint))
      throw new RowsMoved();
    count += page.rows.length;
    total = page.total;
    yield page.rows;
  }
  // A store may show the rows of a commit one after the other: then one was met twice, or never.
  if (count !== total) throw new RowsMoved();
  const { generation } = await liveGeneration(views, view);
  if (generation !== before.generation) throw new RowsMoved();
  return position;
}

interface WalkedPage {
  readonly rows: readonly Row[];
  readonly total: number;
  /** Of the last change in it; null where it has no rows. */
  readonly position: string | null;
}

async function* pagesOf(
  read: (query: PageQuery) => Promise<Page>,
  { filter }: RowsPlace,
): AsyncGenerator<WalkedPage> {
  let after: Keyset | null | undefined;
  while (after !== null) {
    const query = { filter, order: ORDER, limit: PAGE_ROWS, ...(after === undefined ? {} : { after }) };
    const page: Page = await read(query);
    const rows = page.rows.map((json) => ({ json, fields: parseDocument<Row['fields']>(json) }));
    yield { rows, total: page.total, position: positionOf(rows.at(-1)) };
    after = page.next;
  }
}

interface LiveGeneration {
  readonly generation: number | null;
  readonly checkpoint: string | null;
}

/** The generation that is read, and how far it is. */
async function liveGeneration(views: Pick<ViewStore, 'status'>, view: string): Promise<LiveGeneration> {
  const found = (await views.status()).find(({ view: name, live }) => live && name === view);
  return { generation: found?.generation ?? null, checkpoint: found?.checkpoint ?? null };
}

function positionOf(row: Row | undefined): string | null {
  const position = row?.fields['position'];
  return typeof position === 'string' ? position : null;
}

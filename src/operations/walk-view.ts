/** Walks a view from its first row on, a page at a time. */
import type { Keyset, Page, PageQuery, ViewStore } from '../../projections/view-store.ts';
import { parseDocument } from '../../projections/stored-document.ts';

const PAGE_ROWS = 200;

type Walk = Pick<PageQuery, 'filter' | 'order'>;

/** The documents in the order asked for, at most `most` of them. */
export async function* walkView<Doc>(
  views: Pick<ViewStore, 'page'>,
  view: string,
  query: Walk,
  most = Infinity,
): AsyncGenerator<Doc, void> {
  let after: Keyset | null = null;
  let left = most;
  do {
    const limit = Math.min(PAGE_ROWS, left);
    const page: Page = await views.page(view, { ...query, limit, ...(after === null ? {} : { after }) });
    for (const row of page.rows) yield parseDocument<Doc>(row);
    left -= page.rows.length;
    after = page.next;
  } while (after !== null && left > 0);
}

/** The same as a list. */
export async function everyRow<Doc>(
  views: Pick<ViewStore, 'page'>,
  view: string,
  query: Walk,
  most?: number,
): Promise<Doc[]> {
  const documents: Doc[] = [];
  for await (const document of walkView<Doc>(views, view, query, most)) documents.push(document);
  return documents;
}

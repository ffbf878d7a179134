/** Walks a view from its first row on, a page at a time. */
import type { Keyset, PageQuery, ViewStore } from '../../projections/view-store.ts';
import { parseDocument } from '../../projections/stored-document.ts';

const PAGE_ROWS = 200;

/** All documents in the order asked for, or `most` of them. */
export async function everyRow<Doc>(
  views: ViewStore,
  view: string,
  query: Pick<PageQuery, 'filter' | 'order'>,
  most = Infinity,
): Promise<Doc[]> {
  const documents: Doc[] = [];
  let after: Keyset | null = null;
  do {
    const limit = Math.min(PAGE_ROWS, most - documents.length);
    const page = await views.page(view, { ...query, limit, ...(after === null ? {} : { after }) });
    documents.push(...page.rows.map((row) => parseDocument<Doc>(row)));
    after = page.next;
  } while (after !== null && documents.length < most);
  return documents;
}

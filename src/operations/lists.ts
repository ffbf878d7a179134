/** What all lists share: their parameters, their meta, and the way from one page to the next. */
import { z } from 'zod';
import type { PageQuery, ViewStore } from '../../projections/view-store.ts';
import { type CursorBinding, decodeCursor, encodeCursor, invalidCursor } from './cursors.ts';
import type { Refusal } from './refusals.ts';

export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

export const listInput = {
  limit: z
    .int()
    .min(1)
    .max(MAX_LIMIT)
    .optional()
    .meta({ description: `Rows in one page, 1 to ${MAX_LIMIT}; ${DEFAULT_LIMIT} if absent.`, example: 20 }),
  cursor: z
    .string()
    .max(2_000)
    .optional()
    .meta({ description: 'The `nextCursor` of the page before.', example: 'WyJhYmMiLDkwXQ' }),
};

export const listMeta = z
  .strictObject({
    limit: z.int().meta({ description: 'Rows in one page.', example: 20 }),
    nextCursor: z.string().nullable().meta({
      description: 'Send it as `cursor` for the next page; null on the last one.',
      example: 'WyJhYmMiLDkwXQ',
    }),
    total: z.int().meta({ description: 'How many rows match in all.', example: 42 }),
  })
  .meta({ id: 'ListMeta', description: 'Where a page stands in its list.' });
export type ListMeta = z.output<typeof listMeta>;

export interface ListRequest {
  readonly view: string;
  readonly query: Omit<PageQuery, 'limit' | 'after'>;
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
}

export type ListPage =
  | { readonly ok: true; readonly rows: readonly string[]; readonly meta: ListMeta }
  | { readonly ok: false; readonly refusal: Refusal };

/** A page of a view, its rows as stored JSON texts. */
export async function listPage(
  views: ViewStore,
  operation: string,
  { view, query, limit = DEFAULT_LIMIT, cursor }: ListRequest,
): Promise<ListPage> {
  const binding: CursorBinding = [operation, query];
  if (cursor === undefined) return pageAfter(views, binding, view, { ...query, limit });
  const decoded = decodeCursor(binding, cursor);
  if (!decoded.ok) return decoded;
  try {
    return await pageAfter(views, binding, view, { ...query, limit, after: decoded.after });
  } catch (error) {
    // Somebody rebuilt the cursor by hand with values that do not fit the sort.
    if (error instanceof RangeError) return invalidCursor('is not one that this service gave out');
    throw error;
  }
}

async function pageAfter(
  views: ViewStore,
  binding: CursorBinding,
  view: string,
  query: PageQuery,
): Promise<ListPage> {
  const { rows, next, total } = await views.page(view, query);
  const nextCursor = next === null ? null : encodeCursor(binding, next);
  return { ok: true, rows, meta: { limit: query.limit, nextCursor, total } };
}

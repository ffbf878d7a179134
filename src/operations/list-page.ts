/** A page of a view as every list answers it: rows as they are stored or as they are shown, and a cursor to the next. */
import { z } from 'zod';
import { sha256Hex } from '../../events/hash-chain.ts';
import { RELEVANCE } from '../../projections/page-query.ts';
import {
  type Asking,
  type Condition,
  type Page,
  type PageQuery,
  ViewBehind,
  type ViewStore,
} from '../../projections/view-store.ts';
import { wordsOf } from '../../projections/words.ts';
import { type CursorBinding, decodeCursor, encodeCursor } from './cursors.ts';
import { type Accepted, type Outcome, StoredJson } from './operation.ts';
import { createTimeSlice } from '../timing/time-slice.ts';
import { parseDocument } from '../../projections/stored-document.ts';
import { refuse, type Refused } from './refusals.ts';
import type { Services } from './services.ts';
import { countField, nullableTextField } from '../../projections/public-fields.ts';

/** A view lags by milliseconds, and by seconds while a projector is replaced. */
const VIEW_PATIENCE_MS = 3_000;
/** As long as the tag of any other answer. */
export const REVISION_DIGITS = 24;

/** Of the rows of one page, unless a single row is larger: then the page ends before its limit, and its cursor goes on. */
export const MAX_PAGE_BYTES = 1_024 * 1_024;
/** In UTF-8. */
const MAX_BYTES_OF_CHARACTER = 3;

/** How many of the rows, the first ones, make up a page. */
export function rowsOfPage(rows: readonly string[], maxBytes: number = MAX_PAGE_BYTES): number {
  let characters = 0;
  for (const row of rows) characters += row.length;
  // Nearly always: then nothing is measured.
  if (characters * MAX_BYTES_OF_CHARACTER <= maxBytes) return rows.length;
  let bytes = 0;
  const past = rows.findIndex((row) => (bytes += Buffer.byteLength(row)) > maxBytes);
  return past === -1 ? rows.length : Math.max(1, past);
}

export const limitField = z.int().min(1).max(100).default(20).meta({
  description: 'At most so many rows, from 1 to 100; fewer where they would have more than 1 MiB.',
  example: 20,
});

export const cursorField = z.string().min(1).max(2_048).optional().meta({
  description: 'The nextCursor of the page before, with the same filters and sort.',
  example: 'WyJxVGl2UXJ5M1VZQ0xtT1pQIiw4Mywi',
});

/** Of one search, each of which is looked up for itself. */
export const MAX_SEARCH_WORDS = 16;

export const searchField = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => wordsOf(text).length <= MAX_SEARCH_WORDS, `must have at most ${MAX_SEARCH_WORDS} words`)
  .optional()
  .meta({
    description: `Up to ${MAX_SEARCH_WORDS} words to search for: every word must match, as a whole or as a beginning.`,
    example: 'invoice match',
  });

export const listMeta = z.strictObject({
  limit: countField('The limit that was applied.', 20),
  nextCursor: nullableTextField('Pass it as cursor for the next page; null on the last.', null),
  total: countField('How many rows match in all.', 42),
});

export interface ListQuestion {
  readonly view: string;
  /** What the rows must have; absent values do not filter. */
  readonly filter: Readonly<Record<string, Condition | undefined>>;
  readonly order: string;
  readonly q?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly asking?: Asking;
  /** What else rows must have and changes with time: cursors are bound to its name alone. */
  readonly horizon?: { readonly name: string; readonly filter: Readonly<Record<string, Condition>> };
}

type AcceptedPage<Row> = Accepted<Row[]> & {
  readonly data: StoredJson;
  readonly meta: z.output<typeof listMeta>;
};
export type ListedPage<Row> = AcceptedPage<Row> | Refused;

/** A page whose rows are answered as they are stored: the very same outcome as long as the store gives the same page. */
export async function listPage<Row>(views: ViewStore, question: ListQuestion): Promise<ListedPage<Row>> {
  const found = await findPage(views, question);
  if (found === null) return invalidCursor();
  const { page, binding } = found;
  const { limit } = question;
  const known = listed.get(page);
  if (known !== undefined) return known;
  const meta = metaOf(page, limit, binding);
  const text = `[${page.rows.join(',')}]`;
  const told = `${sha256Hex(text)} ${limit} ${meta.total} ${meta.nextCursor}`;
  const revision = sha256Hex(told).slice(0, REVISION_DIGITS);
  const outcome: AcceptedPage<never> = { ok: true, data: new StoredJson(text), meta, revision };
  listed.set(page, outcome);
  return outcome;
}

/** Stores that remember pages give the same one for the same question alone. */
const listed = new WeakMap<Page, AcceptedPage<never>>();

/**
 * A page of what belongs to the caller: it shows all that anybody was told before it was asked for, at whichever node.
 * @param show what the caller sees of a document
 * @throws {ViewBehind} the view has not come to where the log ended, or stands still
 */
export async function listOwn<Doc, Row>(
  services: Pick<Services, 'events' | 'projector' | 'views'>,
  question: ListQuestion,
  show: (document: Doc) => Row | Promise<Row>,
): Promise<Outcome<Row[]>> {
  const isFresh = await hasTakenInTheLog(services, question.view);
  const found = await findPage(services.views, question);
  if (found === null) return invalidCursor();
  if (!isFresh) throw new ViewBehind(question.view);
  const { page, binding } = found;
  const slice = createTimeSlice(1);
  const data: Row[] = [];
  for (const row of page.rows) {
    if (slice.isOver()) await slice.yield();
    data.push(await show(parseDocument<Doc>(row)));
  }
  return { ok: true, data, meta: metaOf(page, question.limit, binding) };
}

/**
 * What the caller was told, by whatever node and on whatever way, is in the log by now: nothing else need be known of
 * who was told what.
 */
export async function hasTakenInTheLog(
  { events, projector }: Pick<Services, 'events' | 'projector'>,
  view: string,
): Promise<boolean> {
  const head = await events.head();
  return head === null || projector.reached(view, head, VIEW_PATIENCE_MS);
}

interface FoundPage {
  readonly page: Page;
  readonly binding: CursorBinding;
}

/** Null where the cursor belongs to no page of this question. */
async function findPage(views: ViewStore, question: ListQuestion): Promise<FoundPage | null> {
  const { view, order, q, limit, cursor, asking, horizon } = question;
  const filter = withoutAbsent(question.filter);
  const binding = { view, filter, order, q, ...(horizon && { horizon: horizon.name }) };
  const after = cursor === undefined ? undefined : decodeCursor(cursor, binding);
  if (after === null) return null;
  const query = {
    filter: horizon === undefined ? filter : { ...filter, ...horizon.filter },
    order,
    limit,
    ...(after === undefined ? {} : { after }),
    ...(q === undefined ? {} : { words: [q] }),
  };
  const page = await pageOf(views, view, query, asking);
  return page && { page, binding };
}

function metaOf({ next, total }: Page, limit: number, binding: CursorBinding): z.output<typeof listMeta> {
  return { limit, nextCursor: next === null ? null : encodeCursor(next, binding), total };
}

/** The sort that was asked for, or the one that suits the question. */
export function orderOf(sort: string | undefined, q: string | undefined, otherwise: string): string {
  return sort ?? (q === undefined ? otherwise : RELEVANCE);
}

/** The no to a sort that needs words to search for, where there are none. */
export function refuseSort(sort: string | undefined, q: string | undefined): Refused | null {
  if (sort !== RELEVANCE || q !== undefined) return null;
  return refuse('invalid_request', 'relevance sorts the results of a search: give q as well', {
    details: [{ path: 'sort', message: 'relevance needs q' }],
  });
}

/** Null for a place that is none in this order: only a forged cursor holds one. */
async function pageOf(
  views: ViewStore,
  view: string,
  query: PageQuery,
  asking: Asking | undefined,
): Promise<Page | null> {
  try {
    return await boundedPage(views, view, query, asking);
  } catch (error) {
    if (error instanceof RangeError && query.after !== undefined) return null;
    throw error;
  }
}

/** A page of bounded size: where the rows are too large for it, a shorter one. */
export function boundedPage(
  views: ViewStore,
  view: string,
  query: PageQuery,
  asking?: Asking,
): Promise<Page> {
  return views.page(view, { ...query, maxBytes: MAX_PAGE_BYTES }, asking);
}

export function invalidCursor(): Refused {
  return refuse('invalid_cursor', 'this cursor is malformed or belongs to other filters: start without one');
}

function withoutAbsent(filter: ListQuestion['filter']): Readonly<Record<string, Condition>> {
  const given: Record<string, Condition> = {};
  for (const [name, condition] of Object.entries(filter))
    if (condition !== undefined) given[name] = condition;
  return given;
}

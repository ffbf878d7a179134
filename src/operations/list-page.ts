/** A page of a view as every list answers it: rows as they are stored or as they are shown, and a cursor to the next. */
import { z } from 'zod';
import { sha256Hex } from '../../events/hash-chain.ts';
import { RELEVANCE } from '../../projections/page-query.ts';
import {
  type Condition,
  type Page,
  type PageQuery,
  ViewBehind,
  type ViewStore,
} from '../../projections/view-store.ts';
import { decodeCursor, encodeCursor } from './cursors.ts';
import { type Accepted, type Outcome, StoredJson } from './operation.ts';
import { parseDocument } from './read-view.ts';
import { refuse } from './refusals.ts';
import type { Services } from './services.ts';

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

export const searchField = z.string().min(1).max(200).optional().meta({
  description: 'Words to search for: every word must match, as a whole or as a beginning.',
  example: 'invoice match',
});

export const listMeta = z.strictObject({
  limit: z.int().meta({ description: 'The limit that was applied.', example: 20 }),
  nextCursor: z
    .string()
    .nullable()
    .meta({ description: 'Pass it as cursor for the next page; null on the last.', example: null }),
  total: z.int().meta({ description: 'How many rows match in all.', example: 42 }),
});

export interface ListQuestion {
  readonly view: string;
  /** What the rows must have; absent values do not filter. */
  readonly filter: Readonly<Record<string, Condition | undefined>>;
  readonly order: string;
  readonly q?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

interface ListedRows {
  readonly ok: true;
  /** Documents as stored JSON texts. */
  readonly rows: readonly string[];
  readonly meta: z.output<typeof listMeta>;
}

export type ListedPage<Row> =
  | (Accepted<Row[]> & { readonly data: StoredJson; readonly meta: z.output<typeof listMeta> })
  | Extract<Outcome<never>, { ok: false }>;

/** A page whose rows are answered as they are stored. */
export async function listPage<Row>(views: ViewStore, question: ListQuestion): Promise<ListedPage<Row>> {
  const listed = await listRows(views, question);
  if (!listed.ok) return listed;
  const { data, digest } = textOf(listed.rows);
  const { limit, total, nextCursor } = listed.meta;
  const revision = sha256Hex(`${digest} ${limit} ${total} ${nextCursor}`).slice(0, REVISION_DIGITS);
  return { ok: true, data, meta: listed.meta, revision };
}

interface PageText {
  readonly data: StoredJson;
  readonly digest: string;
}

/** Of rows that a store gives more than once. */
const texts = new WeakMap<readonly string[], PageText>();

function textOf(rows: readonly string[]): PageText {
  const known = texts.get(rows);
  if (known !== undefined) return known;
  const text = `[${rows.join(',')}]`;
  const made = { data: new StoredJson(text), digest: sha256Hex(text) };
  texts.set(rows, made);
  return made;
}

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
  const listed = await listRows(services.views, question);
  if (!listed.ok) return listed;
  if (!isFresh) throw new ViewBehind(question.view);
  const data = await Promise.all(listed.rows.map((row) => show(parseDocument<Doc>(row))));
  return { ok: true, data, meta: listed.meta };
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

async function listRows(
  views: ViewStore,
  question: ListQuestion,
): Promise<ListedRows | Extract<Outcome<never>, { ok: false }>> {
  const { view, order, q, limit, cursor } = question;
  const filter = withoutAbsent(question.filter);
  const binding = { view, filter, order, q };
  const after = cursor === undefined ? undefined : decodeCursor(cursor, binding);
  if (after === null) return invalidCursor();
  const query = {
    filter,
    order,
    limit,
    ...(after === undefined ? {} : { after }),
    ...(q === undefined ? {} : { words: [q] }),
  };
  const page = await pageOf(views, view, query);
  if (page === null) return invalidCursor();
  const nextCursor = page.next === null ? null : encodeCursor(page.next, binding);
  return { ok: true, rows: page.rows, meta: { limit, nextCursor, total: page.total } };
}

/** The sort that was asked for, or the one that suits the question. */
export function orderOf(sort: string | undefined, q: string | undefined, otherwise: string): string {
  return sort ?? (q === undefined ? otherwise : RELEVANCE);
}

/** Null for a place that is none in this order: only a forged cursor holds one. */
async function pageOf(views: ViewStore, view: string, query: PageQuery): Promise<Page | null> {
  try {
    return await boundedPage(views, view, query);
  } catch (error) {
    if (error instanceof RangeError && query.after !== undefined) return null;
    throw error;
  }
}

/** A page of bounded size: where the rows are too large for it, a shorter one. */
export async function boundedPage(views: ViewStore, view: string, query: PageQuery): Promise<Page> {
  const page = await views.page(view, query);
  const limit = rowsOfPage(page.rows);
  return limit === page.rows.length ? page : boundedPage(views, view, { ...query, limit });
}

export function invalidCursor(): Extract<Outcome<never>, { ok: false }> {
  return refuse('invalid_cursor', 'this cursor is malformed or belongs to other filters: start without one');
}

function withoutAbsent(filter: ListQuestion['filter']): Readonly<Record<string, Condition>> {
  const given = Object.entries(filter).filter(
    (entry): entry is [string, Condition] => entry[1] !== undefined,
  );
  return Object.fromEntries(given);
}

/** What every ViewStore refuses in the same words: questions and documents that do not fit the collection's spec. */
import {
  ViewsUnavailable,
  type CollectionSpec,
  type Condition,
  type FieldType,
  type IndexedDocument,
  type Keyset,
  type OrderTerm,
  type PageQuery,
} from './view-store.ts';
import { wordsOf } from './words.ts';

export const RELEVANCE = 'relevance';
export const POSITION = 'position';
/** The last band of a search by relevance (WordBands): words found in any. */
export const ANY_BAND = 2;

const MAX_PAGE_LIMIT = 1_000;

export interface CheckedQuery {
  readonly terms: readonly OrderTerm[];
  /** Null in a query without words; empty where the words held no letter, and then nothing matches. */
  readonly words: readonly string[] | null;
  readonly byRelevance: boolean;
}

/**
 * The query as the live generation can answer it. What only today's newer spec knows has to wait for its generation.
 * @throws {RangeError} neither spec knows the order, a field, a condition or the keyset
 * @throws {ViewsUnavailable} only `today` knows
 */
export function checkPageQuery(live: CollectionSpec, query: PageQuery, today = live): CheckedQuery {
  try {
    return check(live, query);
  } catch (error) {
    if (today.version === live.version) throw error;
    check(today, query);
    throw new ViewsUnavailable(`${live.name} is being rebuilt`, { cause: error });
  }
}

function check(spec: CollectionSpec, query: PageQuery): CheckedQuery {
  const terms = own(spec.orders, query.order);
  if (terms === undefined) throw new RangeError(`${spec.name} has no order ${query.order}`);
  if (!Number.isInteger(query.limit) || query.limit < 1 || query.limit > MAX_PAGE_LIMIT) {
    throw new RangeError(`a page has 1 to ${MAX_PAGE_LIMIT} rows, not ${query.limit}`);
  }
  const { maxBytes = 1 } = query;
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1) {
    throw new RangeError(`the rows of a page have 1 byte or more, not ${maxBytes}`);
  }
  for (const [field, condition] of Object.entries(query.filter)) {
    if (!fits(own(spec.fields, field), condition)) {
      throw new RangeError(`${spec.name} has no filter ${field} of this kind`);
    }
  }
  const words = query.words === undefined ? null : [...new Set(query.words.flatMap(wordsOf))];
  if (words !== null && spec.searchable !== true) throw new RangeError(`${spec.name} is not searchable`);
  const byRelevance = query.order === RELEVANCE;
  if (byRelevance && words === null) throw new RangeError(`${spec.name} has relevance in searches only`);
  if (query.after !== undefined) checkKeyset(spec, terms, byRelevance, query.after);
  return { terms, words, byRelevance };
}

/** Tells of one row after the other whether the page has room for it. */
export function roomOfPage(maxBytes: number | undefined): (row: string) => boolean {
  if (maxBytes === undefined) return () => true;
  let bytes = 0;
  return (row) => {
    const isFirst = bytes === 0;
    bytes += Buffer.byteLength(row);
    return isFirst || bytes <= maxBytes;
  };
}

/**
 * What a projection wants stored, checked before it reaches an engine.
 * @throws {RangeError} a field that the spec does not have, or a value that is not of its type
 */
export function checkDocument(spec: CollectionSpec, document: IndexedDocument): void {
  for (const [field, value] of Object.entries(document.fields)) {
    const type = own(spec.fields, field);
    const fitting =
      type === 'texts' ? value === null || isTexts(value) : value === null || isScalar(type, value);
    if (!fitting) throw new RangeError(`${spec.name}.${field} cannot be ${JSON.stringify(value)}`);
  }
  if ((document.words !== null) !== (spec.searchable === true)) {
    throw new RangeError(`${spec.name} is ${spec.searchable === true ? '' : 'not '}searchable`);
  }
}

/**
 * A generation that bears today's version must have today's fields and orders.
 * @throws {ViewsUnavailable} what is kept of it was damaged, or they were changed without raising the version
 */
export function checkSameShape(built: CollectionSpec, today: CollectionSpec): void {
  if (built.version !== today.version) return;
  if (shapeOf(built) === shapeOf(today)) return;
  throw new ViewsUnavailable(
    `${today.name} has other fields or orders than its version ${built.version} was built with: the views are damaged and have to be built anew, or whoever changed the program has to raise that version`,
  );
}

function shapeOf({ fields, orders, searchable = false }: CollectionSpec): string {
  const terms = Object.entries(orders).map(([name, order]) => [
    name,
    order.map((term) => [term.field, term.direction]),
  ]);
  const typed = Object.entries(fields)
    .map((field) => field.join(' '))
    .sort();
  return JSON.stringify([typed, terms, searchable]);
}

function checkKeyset(
  spec: CollectionSpec,
  terms: readonly OrderTerm[],
  byRelevance: boolean,
  after: Keyset,
): void {
  const types = terms.map((term) => own(spec.fields, term.field));
  const place = byRelevance ? after.slice(1) : after;
  const key = place.at(-1);
  const fitting =
    // Whoever reads may have made it: a search goes on from here, band after band.
    (!byRelevance || isBand(after[0])) &&
    place.length === types.length + 1 &&
    typeof key === 'string' &&
    types.every((type, i) => place[i] === null || isScalar(type, place[i]));
  if (!fitting) throw new RangeError(`${spec.name}: not a place in this order`);
}

function isBand(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= ANY_BAND;
}

function fits(type: FieldType | undefined, condition: Condition): boolean {
  if (type === undefined) return false;
  if (typeof condition !== 'object') return isScalar(type === 'texts' ? 'text' : type, condition);
  const { min, max } = condition;
  return (
    type === 'integer' && [min, max].every((bound) => bound === undefined || Number.isSafeInteger(bound))
  );
}

function isScalar(type: FieldType | undefined, value: unknown): boolean {
  return type === 'integer' ? Number.isSafeInteger(value) : type === 'text' && typeof value === 'string';
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

/** A property of the record itself: names that come from outside must not find `constructor`. */
function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Filtering, searching and sorting documents in memory, as projections/view-store.ts defines it. */
import { type CheckedQuery, roomOfPage } from '../../../projections/page-query.ts';
import type {
  Condition,
  FieldValue,
  IndexedDocument,
  Keyset,
  OrderTerm,
  Page,
  PageQuery,
  WordBands,
} from '../../../projections/view-store.ts';

export interface StoredDocument extends IndexedDocument {
  readonly key: string;
}

interface Row {
  readonly json: string;
  readonly place: Keyset;
}

export function pageOf(
  documents: ReadonlyMap<string, StoredDocument>,
  query: PageQuery,
  { terms, words, byRelevance }: CheckedQuery,
): Page {
  const directions = terms.map((term) => (term.direction === 'asc' ? 1 : -1));
  if (byRelevance) directions.unshift(1);
  const rows: Row[] = [];
  for (const document of documents.values()) {
    const band = words === null ? 0 : bandOf(document.words, words);
    if (band === null || !matches(document, query.filter)) continue;
    const place = placeOf(document, terms);
    rows.push({ json: document.json, place: byRelevance ? [band, ...place] : place });
  }
  rows.sort((a, b) => comparePlaces(a.place, b.place, directions));
  const { after } = query;
  const rest =
    after === undefined ? rows : rows.filter((row) => comparePlaces(row.place, after, directions) > 0);
  const hasRoom = roomOfPage(query.maxBytes);
  const full = rest.findIndex((row, i) => i === query.limit || !hasRoom(row.json));
  const shown = full === -1 ? rest : rest.slice(0, full);
  return {
    rows: shown.map((row) => row.json),
    next: rest.length > shown.length ? (shown.at(-1)?.place ?? null) : null,
    total: rows.length,
  };
}

function matches({ fields }: StoredDocument, filter: Readonly<Record<string, Condition>>): boolean {
  return Object.entries(filter).every(([field, condition]) => meets(fields[field] ?? null, condition));
}

function meets(value: FieldValue, condition: Condition): boolean {
  if (typeof condition !== 'object') {
    return typeof value === 'object'
      ? value !== null && value.includes(String(condition))
      : value === condition;
  }
  if (typeof value !== 'number') return false;
  return value >= (condition.min ?? -Infinity) && value <= (condition.max ?? Infinity);
}

/** The first band with which all words are found, from 0; null when some word is not. */
function bandOf(bands: WordBands | null, words: readonly string[]): number | null {
  if (words.length === 0) return null;
  let worst = 0;
  for (const word of words) {
    const band = bands?.findIndex((held) => held.some((one) => one.startsWith(word))) ?? -1;
    if (band === -1) return null;
    worst = Math.max(worst, band);
  }
  return worst;
}

function placeOf(document: StoredDocument, terms: readonly OrderTerm[]): Keyset {
  const value = (field: string): string | number | null => {
    const held = document.fields[field] ?? null;
    return typeof held === 'object' ? null : held;
  };
  return [...terms.map((term) => value(term.field)), document.key];
}

function comparePlaces(a: Keyset, b: Keyset, directions: readonly number[]): number {
  for (let i = 0; i < a.length; i++) {
    const order = compareValues(a[i] ?? null, b[i] ?? null, directions[i] ?? 1);
    if (order !== 0) return order;
  }
  return 0;
}

function compareValues(a: string | number | null, b: string | number | null, direction: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'string' && typeof b === 'string') return direction * compareTexts(a, b);
  return direction * (Number(a) - Number(b));
}

/** By code point, as the engines' UTF-8 does: JavaScript's `<` would put U+1F600 before U+FF5E. */
function compareTexts(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

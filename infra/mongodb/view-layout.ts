/**
 * How one generation of a view lies in MongoDB: a collection `view_N`, a document for each key:
 *
 * - `json`: as it is served; `step` and `position`: the commit and the event that changed it last.
 * - `fields`: what filters compare. Of several texts an array.
 * - `sort`: for each distinct order the place in it, the key included (sort-key.ts).
 * - `words`: each word once, after the number of its band: searching by `^1inv` is walking a range of an index.
 *
 * A document that was removed leaves `isGone` and its step: a write that arrives late must not bring it back. It has no
 * fields, sort keys or words, so that no question finds it.
 */
import type { IndexDescription } from 'mongodb';
import type {
  CollectionSpec,
  FieldValue,
  IndexedDocument,
  OrderTerm,
  WordBands,
} from '../../projections/view-store.ts';
import { sortKey } from './sort-key.ts';

export interface StoredDocument {
  readonly _id: string;
  readonly step: number;
  readonly position: string;
  readonly isGone?: boolean;
  readonly json?: string;
  readonly fields?: Readonly<Record<string, FieldValue>>;
  readonly sort?: Readonly<Record<string, string>>;
  readonly words?: readonly string[];
}

/** What a write sets of a document that is there. */
export type StoredContent = Required<Pick<StoredDocument, 'json' | 'fields' | 'sort'>> &
  Pick<StoredDocument, 'words'>;

export interface SortField {
  readonly name: string;
  readonly terms: readonly OrderTerm[];
}

export interface ViewLayout {
  readonly generation: number;
  readonly spec: CollectionSpec;
  readonly collection: string;
  /** What each order sorts by; orders of the same terms share one. */
  readonly orders: ReadonlyMap<string, SortField>;
}

const COLLECTION = /^view_(?<generation>\d{1,15})$/;

export function viewLayout(generation: number, spec: CollectionSpec): ViewLayout {
  for (const field of Object.keys(spec.fields)) checkName(field);
  const sorts = new Map<string, SortField>();
  const orders = Object.entries(spec.orders).map(([order, terms]): [string, SortField] => {
    const id = terms.map(({ field, direction }) => `${field} ${direction}`).join();
    const known = sorts.get(id);
    const sort = known ?? { name: `by${sorts.size}`, terms };
    sorts.set(id, sort);
    return [order, sort];
  });
  return { generation, spec, collection: `view_${generation}`, orders: new Map(orders) };
}

/** Undefined for collections that are no generation's. */
export function generationOf(collection: string): number | undefined {
  const generation = COLLECTION.exec(collection)?.groups?.['generation'];
  return generation === undefined ? undefined : Number(generation);
}

/**
 * One for each order; one for each field, in the first order within each value; one for the words. Which of them
 * shortens a question is for the engine to find out.
 */
export function indexesOf({ spec, orders }: ViewLayout): readonly IndexDescription[] {
  const bySort = new Set([...orders.values()].map(({ name }) => `sort.${name}`));
  const keys: Record<string, 1>[] = [...bySort].map((path) => ({ [path]: 1 }));
  const [first] = bySort;
  if (first !== undefined) {
    for (const field of Object.keys(spec.fields)) keys.push({ [`fields.${field}`]: 1, [first]: 1 });
  }
  if (spec.searchable === true) keys.push({ words: 1 });
  return keys.map((key) => ({ key, name: Object.keys(key).join('_').replaceAll('.', '_') }));
}

export function contentOf(layout: ViewLayout, key: string, document: IndexedDocument): StoredContent {
  const { json, words } = document;
  const fields: Record<string, FieldValue> = {};
  for (const field of Object.keys(layout.spec.fields)) {
    fields[field] = Object.hasOwn(document.fields, field) ? (document.fields[field] ?? null) : null;
  }
  const sort: Record<string, string> = {};
  for (const { name, terms } of layout.orders.values()) {
    sort[name] ??= sortKey(terms, [...terms.map(({ field }) => scalar(fields[field])), key]);
  }
  return { json, fields, sort, ...(words !== null && { words: bandedWords(words) }) };
}

/** The words that the texts of a band are found by. */
function bandedWords(bands: WordBands): readonly string[] {
  return bands.flatMap((words, band) => words.map((word) => `${band}${word}`));
}

export function scalar(value: FieldValue | undefined): string | number | null {
  return typeof value === 'object' ? null : (value ?? null);
}

/** Names stand in paths as they are: they come from specs in the code, and from nowhere else. */
function checkName(field: string): void {
  if (!/^[a-zA-Z][a-zA-Z0-9_]*$/.test(field)) throw new RangeError(`${field} cannot name a field`);
}

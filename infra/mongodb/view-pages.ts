/**
 * Finds a page: a range of the order's sort keys, tested for the conditions. Which index shortens that is for the engine
 * to choose. A search by relevance asks for each band in turn, until the page is full.
 */
import type { Document } from 'mongodb';
import {
  ANY_BAND,
  checkPageQuery,
  type CheckedQuery,
  POSITION,
  roomOfPage,
} from '../../projections/page-query.ts';
import type { CollectionSpec, Keyset, Page, PageQuery } from '../../projections/view-store.ts';
import type { MongoLink } from './connection.ts';
import type { GenerationRow } from './registry.ts';
import { sortKey } from './sort-key.ts';
import {
  allOf,
  both,
  type Conditions,
  filterConditions,
  without,
  wordConditions,
} from './view-conditions.ts';
import { viewCounts } from './view-counts.ts';
import { scalar, type SortField, type StoredDocument, type ViewLayout } from './view-layout.ts';

/** A part of the answer in its order: all of it, or for `relevance` what ranks in one band. */
interface Stage {
  readonly band: number | null;
  readonly conditions: Conditions;
  readonly after: Keyset | null;
}

export interface ViewPages {
  /** @param now the generation as it stands; @param today what this program knows of the collection */
  readonly page: (query: PageQuery, now: GenerationRow, today: CollectionSpec | undefined) => Promise<Page>;
}

export function viewPages({ db, ask, maxTimeMS }: MongoLink, layout: ViewLayout): ViewPages {
  const collection = db.collection<StoredDocument>(layout.collection);
  const counts = viewCounts();

  const find = (filter: Document, sort: SortField, limit: number): Promise<StoredDocument[]> => {
    const shown = Object.fromEntries(sort.terms.map(({ field }) => [`fields.${field}`, 1]));
    return ask(() =>
      collection
        .find(filter, { projection: { json: 1, ...shown }, maxTimeMS })
        .sort({ [`sort.${sort.name}`]: 1 })
        .limit(limit)
        .batchSize(limit + 1)
        .toArray(),
    );
  };
  const rowsOf = async (
    stages: readonly Stage[],
    sort: SortField,
    { limit, maxBytes }: PageQuery,
    within: readonly Document[],
  ): Promise<Omit<Page, 'total'>> => {
    const hasRoom = roomOfPage(maxBytes);
    const rows: string[] = [];
    let last: Keyset = [];
    for (const { band, conditions, after } of stages) {
      const range = { [`sort.${sort.name}`]: { $gt: after === null ? '' : sortKey(sort.terms, after) } };
      // One more than asked for tells whether there is a next page.
      const found = await find(allOf(conditions, range, ...within), sort, limit + 1 - rows.length);
      for (const document of found) {
        const row = document.json ?? '';
        if (rows.length === limit || !hasRoom(row)) return { rows, next: last };
        rows.push(row);
        last = placeOf(document, sort, band);
      }
    }
    return { rows, next: null };
  };
  const totalOf = async (
    conditions: Conditions | null,
    { documents, changedAt }: GenerationRow,
  ): Promise<number> => {
    if (conditions === null) return 0;
    if (conditions.filters.length === 0) return documents;
    return counts.remembered(changedAt, conditions.id, () =>
      ask(() => collection.countDocuments(allOf(conditions), { maxTimeMS })),
    );
  };

  return {
    async page(query, now, today) {
      const checked = checkPageQuery(layout.spec, query, today);
      const sort = layout.orders.get(query.order);
      if (sort === undefined) throw new RangeError(`there is no order ${query.order}`);
      const { all, stages } = stagesOf(query, checked);
      // Of a commit that is being applied some documents are there and others, of earlier positions, are not.
      const within = query.order === POSITION ? [{ step: { $lte: now.step } }] : [];
      const [found, total] = await Promise.all([rowsOf(stages, sort, query, within), totalOf(all, now)]);
      return { ...found, total };
    },
  };
}

function stagesOf(
  query: PageQuery,
  { words, byRelevance }: CheckedQuery,
): { readonly all: Conditions | null; readonly stages: readonly Stage[] } {
  const after = query.after ?? null;
  const filtered = filterConditions(query.filter);
  if (words === null) return { all: filtered, stages: [{ band: null, conditions: filtered, after }] };
  if (words.length === 0) return { all: null, stages: [] };
  const within = (band: number): Conditions => both(filtered, wordConditions(words, band));
  const all = within(ANY_BAND);
  if (!byRelevance) return { all, stages: [{ band: null, conditions: all, after }] };
  const start = after === null ? 0 : Number(after[0]);
  const stages: Stage[] = [];
  for (let band = start; band <= ANY_BAND; band++) {
    const conditions = band === 0 ? within(0) : without(within(band), wordConditions(words, band - 1));
    stages.push({ band, conditions, after: band === start && after !== null ? after.slice(1) : null });
  }
  return { all, stages };
}

function placeOf({ _id, fields }: StoredDocument, { terms }: SortField, band: number | null): Keyset {
  const place = [...terms.map(({ field }) => scalar(fields?.[field])), _id];
  return band === null ? place : [band, ...place];
}

/**
 * Finds a page by the shorter of two ways: along the order's index, testing each entry, until the page is full (short
 * when many documents match), or by fetching all that a list holds and sorting them (short when few do). Since the
 * number of matches is known, either way costs about √(documents × limit) rows at the very worst where conditions are
 * unrelated to the order.
 */
import { ANY_BAND, checkPageQuery, type CheckedQuery, roomOfPage } from '../../projections/page-query.ts';
import type { CollectionSpec, Keyset, OrderTerm, Page, PageQuery } from '../../projections/view-store.ts';
import {
  allOf,
  filterConditions,
  negated,
  wordCondition,
  type RowCondition,
  type Sql,
} from './view-conditions.ts';
import { ROW_COST, STEP_COST, testsBeside, type ViewCounts } from './view-counts.ts';
import { storedText } from './view-errors.ts';
import type { Prepared } from './view-statements.ts';
import {
  column,
  orderIndex,
  sortKey,
  sortKeys,
  sortValue,
  type Cell,
  type ViewTable,
} from './view-tables.ts';

/** The JSON, the values of the order's terms, the key. */
type Row = readonly [json: string, ...place: Cell[]];

/** A part of the answer in its order: all of it, or for `relevance` what ranks in one band. */
interface Stage {
  readonly band: number | null;
  readonly conditions: readonly RowCondition[];
  readonly matches: number;
  readonly after: Keyset | null;
}

export interface ViewPages {
  readonly page: (query: PageQuery, today: CollectionSpec) => Page;
  /** Whether a page without words is found within few milliseconds: nearly all that may take longer is its total. */
  readonly isSoon: (query: PageQuery) => boolean;
  /** The total of a page without words, as of now, found elsewhere. */
  readonly learn: (query: PageQuery, total: number) => void;
}

export function viewPages(prepared: Prepared, table: ViewTable, counts: ViewCounts): ViewPages {
  return {
    isSoon: ({ filter }) => counts.isSoon(filterConditions(table, filter)),
    learn: ({ filter }, total) => counts.learn(filterConditions(table, filter), total),
    page(query, today) {
      const checked = checkPageQuery(table.spec, query, today);
      const filters = filterConditions(table, query.filter);
      const total = totalOf(table, counts, filters, checked);
      const hasRoom = roomOfPage(query.maxBytes);
      // Row by row costs a third more, and reads no row that the page has no room for.
      const read = query.maxBytes === undefined ? 'all' : 'iterate';
      const rows: string[] = [];
      let last: Keyset = [];
      for (const stage of stagesOf(table, counts, query, filters, checked, total)) {
        for (const { text, parameters } of queriesOf(table, counts, query, checked.terms, stage)) {
          // One more than asked for tells whether there is a next page.
          const wanted = query.limit + 1 - rows.length;
          for (const [json, ...place] of prepared<Row>(text)[read](...parameters, wanted)) {
            const row = storedText(json);
            if (rows.length === query.limit || !hasRoom(row)) return { rows, next: last, total };
            rows.push(row);
            last = stage.band === null ? place : [stage.band, ...place];
          }
        }
      }
      return { rows, next: null, total };
    },
  };
}

function totalOf(
  table: ViewTable,
  counts: ViewCounts,
  filters: readonly RowCondition[],
  { words }: CheckedQuery,
): number {
  if (words === null) return counts.exactly(filters);
  return words.length === 0 ? 0 : counts.exactly([...filters, wordCondition(table, words, ANY_BAND)]);
}

/** One after the other: what ranks lower is not counted where what ranks higher fills the page. */
function* stagesOf(
  table: ViewTable,
  counts: ViewCounts,
  query: PageQuery,
  filters: readonly RowCondition[],
  { words, byRelevance }: CheckedQuery,
  total: number,
): Generator<Stage, void> {
  if (total === 0) return;
  const after = query.after ?? null;
  if (words === null) return yield { band: null, conditions: filters, matches: total, after };
  const within = (band: number): RowCondition[] => [...filters, wordCondition(table, words, band)];
  if (!byRelevance) return yield { band: null, conditions: within(ANY_BAND), matches: total, after };
  const start = after === null ? 0 : Number(after[0]);
  for (let band = start; band <= ANY_BAND; band++) {
    const better = band === 0 ? [] : [negated(wordCondition(table, words, band - 1))];
    const matches = counts.exactly(within(band)) - (band === 0 ? 0 : counts.exactly(within(band - 1)));
    const place = band === start && after !== null ? after.slice(1) : null;
    yield { band, conditions: [...within(band), ...better], matches, after: place };
  }
}

/** The statements that yield the stage's rows one after the other; the last parameter of each is a limit. */
function queriesOf(
  table: ViewTable,
  counts: ViewCounts,
  query: PageQuery,
  terms: readonly OrderTerm[],
  { conditions, matches, after }: Stage,
): readonly Sql[] {
  if (matches === 0) return [];
  const { name, spec } = table;
  const parts = after === null ? [] : partsAfter(spec, terms, after);
  const source = sourceOf(table, counts, query, conditions, matches);
  const places = [...terms.map((term) => column(term.field)), 'key'].join(', ');
  const select = ({ text, parameters }: Sql, fixed = source.fixed): Sql => {
    // Terms of which there is one value are left out: SQLite would sort by them instead of seeing that it need not.
    const sorting = sortKeys(spec, terms).slice(fixed).join(', ');
    const rest = `FROM ${source.from} WHERE ${text} ORDER BY ${sorting} LIMIT ?`;
    if (source.ordered) return { text: `SELECT json, ${places} ${rest}`, parameters };
    // Only what is shown is fetched whole: what is sorted are the places.
    const names = [...terms.map((_, i) => `t${i}`), 'k'].join(', ');
    const shown = `WITH shown (i, ${names}) AS MATERIALIZED (SELECT id, ${places} ${rest})`;
    return {
      text: `${shown} SELECT (SELECT json FROM ${name} WHERE id = i), ${names} FROM shown`,
      parameters,
    };
  };
  if (after === null) return [select(allOf(source.tests))];
  // Along an index each part is a range that is sought directly; a list is read only once.
  if (source.ordered) {
    return parts.map((part) => select(allOf([...source.tests, part]), Math.max(part.fixed, source.fixed)));
  }
  const anyPart = { ...allOf(parts), text: `(${parts.map((part) => `(${part.text})`).join(' OR ')})` };
  return [select(allOf([...source.tests, anyPart]))];
}

interface Source {
  readonly from: string;
  readonly tests: readonly Sql[];
  /** Whether it yields the rows in the order asked for, so that only the part up to the last one is passed. */
  readonly ordered: boolean;
  /** How many terms of the order have one value in it. */
  readonly fixed: number;
  readonly costMicros: number;
}

function sourceOf(
  table: ViewTable,
  counts: ViewCounts,
  { order, limit }: PageQuery,
  conditions: readonly RowCondition[],
  matches: number,
): Source {
  const passed = Math.min(1, (limit + 1) / matches);
  const stepCost = conditions.some((one) => one.readsRow) ? ROW_COST : STEP_COST;
  let cheapest: Source = {
    from: `${table.name} INDEXED BY ${orderIndex(table, order)}`,
    tests: conditions.map((condition) => condition.test),
    ordered: true,
    fixed: 0,
    costMicros: counts.documents() * passed * stepCost,
  };
  for (const condition of conditions) {
    if (condition.list === null) continue;
    const { documents, where, orders, fixed } = condition.list;
    const ordered = orders.includes(order);
    const costMicros = counts.roughly(condition) * ROW_COST * (ordered ? passed : 1);
    if (costMicros >= cheapest.costMicros) continue;
    cheapest = {
      from: documents,
      tests: [where, ...testsBeside(condition, conditions)],
      ordered,
      fixed: ordered ? fixed : 0,
      costMicros,
    };
  }
  return cheapest;
}

interface Part extends Sql {
  readonly fixed: number;
}

/**
 * What comes after a place, as ranges in their order: the same values and a later key, then the same values but a
 * later last one, and so on.
 */
function partsAfter(spec: CollectionSpec, terms: readonly OrderTerm[], after: Keyset): readonly Part[] {
  const same = terms.map((term, i): Sql => {
    return { text: `${sortKey(spec, term)} = ?`, parameters: [sortValue(spec, term, after[i] ?? null)] };
  });
  const later = terms.map((term, i): Sql => {
    const comparison = term.direction === 'asc' ? '>' : '<';
    return {
      text: `${sortKey(spec, term)} ${comparison} ?`,
      parameters: [sortValue(spec, term, after[i] ?? null)],
    };
  });
  const byKey: Sql = { text: 'key > ?', parameters: [after.at(-1) ?? null] };
  const parts: Part[] = [{ ...allOf([...same, byKey]), fixed: terms.length }];
  for (let i = terms.length - 1; i >= 0; i--) {
    const term = later[i];
    // Null comes last: nothing is later.
    if (term !== undefined && after[i] !== null)
      parts.push({ ...allOf([...same.slice(0, i), term]), fixed: i });
  }
  return parts;
}

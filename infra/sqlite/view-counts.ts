/**
 * How many documents meet conditions. Exact counts are remembered until documents move; older ones still serve to
 * choose the shortest way to a page, where being a little wrong costs a little time and nothing else.
 */
import { allOf, type ConditionList, type RowCondition, type Sql } from './view-conditions.ts';
import type { Prepared } from './view-statements.ts';
import { orderIndex, type ViewTable } from './view-tables.ts';

const MAX_REMEMBERED = 1_000;
/** After so many moves the older counts are forgotten as well. */
const MAX_STALE_MOVES = 1_000;

/** Microseconds, measured: one step along an index, and fetching one row from elsewhere. */
export const STEP_COST = 0.12;
export const ROW_COST = 1.5;
/** One entry of a list that is only counted. */
const ENTRY_COST = 0.04;
/** As long as a count may hold the event loop. */
const SOON_MICROS = 5_000;

export interface ViewCounts {
  readonly documents: () => number;
  readonly exactly: (conditions: readonly RowCondition[]) => number;
  /** Whether that is remembered or takes few milliseconds; not for words. */
  readonly isSoon: (conditions: readonly RowCondition[]) => boolean;
  /** Somebody else has counted exactly, as of now. */
  readonly learn: (conditions: readonly RowCondition[], count: number) => void;
  readonly roughly: (condition: RowCondition) => number;
  /** The collection has so many documents now, of which some came, went or changed their place. */
  readonly moved: (documents: number, moves: number) => void;
}

export function viewCounts(prepared: Prepared, table: ViewTable, documents: number): ViewCounts {
  const exact = new Map<string, number>();
  const rough = new Map<string, number>();
  let staleMoves = 0;

  const counted = ({ text, parameters }: Sql): number => {
    const [count = 0] = prepared<[count: number]>(text).get(...parameters) ?? [];
    return count;
  };
  const exactly = (conditions: readonly RowCondition[]): number => {
    if (conditions.length === 0) return documents;
    const id = idOf(conditions);
    const known = exact.get(id);
    if (known !== undefined) return known;
    const count = counted(countQuery(table, conditions, documents, roughly));
    remember(exact, id, count);
    return count;
  };
  const lengthOf = (condition: RowCondition, { entries, where, isRange }: ConditionList): number => {
    if (!isRange) return exactly([condition]);
    // A range is a new one with most questions. One that is longer than a walk is left where that shows.
    const enough = Math.ceil((documents * STEP_COST) / ROW_COST);
    const count = counted({
      text: `SELECT count(*) FROM (SELECT 1 FROM ${entries} WHERE ${where.text} LIMIT ?)`,
      parameters: [...where.parameters, enough],
    });
    return count < enough ? count : documents;
  };
  const roughly = (condition: RowCondition): number => {
    const known = rough.get(condition.id);
    if (known !== undefined) return known;
    const count = condition.list === null ? documents : lengthOf(condition, condition.list);
    remember(rough, condition.id, count);
    return count;
  };

  return {
    documents: () => documents,
    exactly,
    isSoon(conditions) {
      const each = conditions.length > 1 ? STEP_COST : ENTRY_COST;
      return conditions.length === 0 || documents * each <= SOON_MICROS || exact.has(idOf(conditions));
    },
    learn(conditions, count) {
      if (conditions.length > 0) remember(exact, idOf(conditions), count);
    },
    roughly,
    moved(total, moves) {
      documents = total;
      if (moves === 0) return;
      exact.clear();
      staleMoves += moves;
      if (staleMoves < MAX_STALE_MOVES) return;
      rough.clear();
      staleMoves = 0;
    },
  };
}

function idOf(conditions: readonly RowCondition[]): string {
  return conditions.map((condition) => condition.id).join('\n');
}

function countQuery(
  table: ViewTable,
  conditions: readonly RowCondition[],
  documents: number,
  roughly: (condition: RowCondition) => number,
): Sql {
  const [only, ...others] = conditions;
  if (only?.list && others.length === 0) {
    const { entries, where } = only.list;
    return { text: `SELECT count(*) FROM ${entries} WHERE ${where.text}`, parameters: where.parameters };
  }
  const shortest = shortestList(conditions, roughly);
  const walk = documents * (conditions.some((one) => one.readsRow) ? ROW_COST : STEP_COST);
  if (shortest !== null && shortest.length * ROW_COST < walk) {
    const test = allOf([shortest.list.where, ...testsBeside(shortest.condition, conditions)]);
    return {
      text: `SELECT count(*) FROM ${shortest.list.documents} WHERE ${test.text}`,
      parameters: test.parameters,
    };
  }
  const [order] = Object.keys(table.spec.orders);
  const index = order === undefined ? '' : ` INDEXED BY ${orderIndex(table, order)}`;
  const test = allOf(conditions.map((condition) => condition.test));
  return {
    text: `SELECT count(*) FROM ${table.name}${index} WHERE ${test.text}`,
    parameters: test.parameters,
  };
}

interface ShortestList {
  readonly condition: RowCondition;
  readonly list: NonNullable<RowCondition['list']>;
  readonly length: number;
}

function shortestList(
  conditions: readonly RowCondition[],
  roughly: (condition: RowCondition) => number,
): ShortestList | null {
  let shortest: ShortestList | null = null;
  for (const condition of conditions) {
    if (condition.list === null) continue;
    const length = roughly(condition);
    if (shortest === null || length < shortest.length) shortest = { condition, list: condition.list, length };
  }
  return shortest;
}

/** The list answers for its own condition; the others are tested on each row. */
export function testsBeside(listed: RowCondition, conditions: readonly RowCondition[]): readonly Sql[] {
  return conditions.filter((condition) => condition !== listed).map((condition) => condition.test);
}

function remember(counts: Map<string, number>, id: string, count: number): void {
  if (counts.size >= MAX_REMEMBERED) counts.clear();
  counts.set(id, count);
}

/** The conditions of a page as SQL: as a test on each row, and as a list of the documents that meet it. */
import type { CheckedQuery } from '../../projections/page-query.ts';
import type { Condition, PageQuery } from '../../projections/view-store.ts';
import {
  type Cell,
  column,
  fieldIndex,
  heldText,
  orderIndex,
  orderStartingWith,
  sortKey,
  type ViewTable,
} from './view-tables.ts';

export type Parameter = Cell | Buffer;

export interface Sql {
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

export interface ConditionList {
  /** What to count, and what to read the documents from. */
  readonly entries: string;
  readonly documents: string;
  readonly where: Sql;
  readonly isRange: boolean;
  /** The orders in which the list yields its documents. */
  readonly orders: readonly string[];
  /** How many terms of those orders have one value in it. */
  readonly fixed: number;
}

export interface RowCondition {
  /** The same for the same condition: counts are remembered by it. */
  readonly id: string;
  readonly test: Sql;
  /** Whether the test needs the row itself; the others are answered by any order's index. */
  readonly readsRow: boolean;
  /** Where the documents that meet it are listed; null where nothing lists them. */
  readonly list: ConditionList | null;
}

export function filterConditions(table: ViewTable, filter: PageQuery['filter']): RowCondition[] {
  return Object.entries(filter)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([field, condition]) => filterCondition(table, field, condition));
}

/** All words are found within this band. */
export function wordCondition(
  { name }: ViewTable,
  words: NonNullable<CheckedQuery['words']>,
  band: number,
): RowCondition {
  const match = words.map((word) => `"${band}${word}"*`).join(' AND ');
  return {
    id: `words ${match}`,
    test: {
      text: words.map(() => 'instr(words, ?) > 0').join(' AND '),
      parameters: words.map((word) => ` ${band}${word}`),
    },
    readsRow: true,
    list: {
      entries: `${name}_words`,
      documents: `${name}_words CROSS JOIN ${name} ON id = ${name}_words.rowid`,
      where: { text: `${name}_words MATCH ?`, parameters: [match] },
      isRange: false,
      orders: [],
      fixed: 0,
    },
  };
}

export function negated({ id, test, readsRow }: RowCondition): RowCondition {
  return { id: `not ${id}`, test: { ...test, text: `NOT (${test.text})` }, readsRow, list: null };
}

export function allOf(tests: readonly Sql[]): Sql {
  return {
    text: tests.length === 0 ? 'true' : tests.map((test) => test.text).join(' AND '),
    parameters: tests.flatMap((test) => test.parameters),
  };
}

function filterCondition(table: ViewTable, field: string, condition: Condition): RowCondition {
  const { name, spec } = table;
  const id = JSON.stringify([field, condition]);
  if (spec.fields[field] === 'texts' && typeof condition === 'string') {
    return {
      id,
      test: { text: `instr(${column(field)}, ?) > 0`, parameters: [heldText(condition)] },
      readsRow: false,
      list: {
        entries: `${name}_texts`,
        documents: `${name}_texts CROSS JOIN ${name} ON id = document`,
        where: { text: 'field = ? AND value = ?', parameters: [field, condition] },
        isRange: false,
        orders: [],
        fixed: 0,
      },
    };
  }
  const test = scalarTest(column(field), condition);
  return { id, test, readsRow: false, list: scalarList(table, field, condition) };
}

/** By the index of an order that starts with the field, or by the field's own. */
function scalarList(table: ViewTable, field: string, condition: Condition): ConditionList {
  const { name, spec } = table;
  const names = Object.keys(spec.orders);
  const isRange = typeof condition === 'object';
  const order = orderStartingWith(spec, field);
  const [term] = order === null ? [] : (spec.orders[order] ?? []);
  if (order === null || term === undefined) {
    const entries = `${name} INDEXED BY ${fieldIndex(table, field)}`;
    const where = scalarTest(column(field), condition);
    return {
      entries,
      documents: entries,
      where,
      isRange,
      orders: isRange ? [] : names.slice(0, 1),
      fixed: 0,
    };
  }
  const index = orderIndex(table, order);
  const entries = `${name} INDEXED BY ${index}`;
  const orders = names.filter((one) => orderIndex(table, one) === index);
  const where = scalarTest(sortKey(spec, term), condition);
  return { entries, documents: entries, where, isRange, orders, fixed: isRange ? 0 : 1 };
}

function scalarTest(value: string, condition: Condition): Sql {
  if (typeof condition !== 'object') return { text: `${value} = ?`, parameters: [condition] };
  const { min, max } = condition;
  // Null stands for itself in a column, and beyond every integer in a sort key.
  return {
    text: `${value} BETWEEN ? AND ?`,
    parameters: [min ?? Number.MIN_SAFE_INTEGER, max ?? Number.MAX_SAFE_INTEGER],
  };
}

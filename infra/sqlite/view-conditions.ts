/** The conditions of a page as SQL: as a test on each row, and as a list of the documents that meet it. */
import type { CheckedQuery } from '../../projections/page-query.ts';
import type { Condition, PageQuery } from '../../projections/view-store.ts';
import { column, fieldIndex, heldText, type Cell, type ViewTable } from './view-tables.ts';

export type Parameter = Cell | Buffer;

export interface Sql {
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

export interface RowCondition {
  /** The same for the same condition: counts are remembered by it. */
  readonly id: string;
  readonly test: Sql;
  /** Whether the test needs the row itself; the others are answered by any order's index. */
  readonly readsRow: boolean;
  /** Where the documents that meet it are listed; null where nothing lists them. */
  readonly list: { readonly from: string; readonly where: Sql; readonly field: string | null } | null;
}

/** The last band: words found in any. */
export const ANY_BAND = 2;

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
      from: `${name}_words CROSS JOIN ${name} ON id = ${name}_words.rowid`,
      where: { text: `${name}_words MATCH ?`, parameters: [match] },
      field: null,
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

function filterCondition({ name, spec }: ViewTable, field: string, condition: Condition): RowCondition {
  const id = JSON.stringify([field, condition]);
  if (spec.fields[field] === 'texts' && typeof condition === 'string') {
    return {
      id,
      test: { text: `instr(${column(field)}, ?) > 0`, parameters: [heldText(condition)] },
      readsRow: false,
      list: {
        from: `${name}_texts CROSS JOIN ${name} ON id = document`,
        where: { text: 'field = ? AND value = ?', parameters: [field, condition] },
        field: null,
      },
    };
  }
  const test = scalarTest(column(field), condition);
  return {
    id,
    test,
    readsRow: false,
    list: {
      from: `${name} INDEXED BY ${fieldIndex(name, field)}`,
      where: test,
      field: typeof condition === 'object' ? null : field,
    },
  };
}

function scalarTest(cell: string, condition: Condition): Sql {
  if (typeof condition !== 'object') return { text: `${cell} = ?`, parameters: [condition] };
  const { min, max } = condition;
  const bounds: Sql[] = [{ text: `${cell} IS NOT NULL`, parameters: [] }];
  if (min !== undefined) bounds.push({ text: `${cell} >= ?`, parameters: [min] });
  if (max !== undefined) bounds.push({ text: `${cell} <= ?`, parameters: [max] });
  return allOf(bounds);
}

/**
 * The tables of one generation of a view:
 *
 * - `view_N`: a row for each document, with a column for each field. `json` comes last, so that filters and sorts
 *   need not read over it. Of several texts the column holds all, delimited.
 * - an index for each order that holds all fields too: walking it answers any filter without touching the rows.
 * - an index for each other field, in the first order within each value: for values that few documents have.
 * - `view_N_texts`: who holds a text, for the same reason.
 * - `view_N_words`: who holds a word (FTS5). A word stands there once for each band it counts in.
 */
import type { Database } from 'better-sqlite3';
import type {
  CollectionSpec,
  FieldValue,
  IndexedDocument,
  OrderTerm,
  WordBands,
} from '../../projections/view-store.ts';

export interface ViewTable {
  readonly generation: number;
  readonly spec: CollectionSpec;
  readonly name: string;
  readonly columns: readonly string[];
  /** The index of each order; orders of the same terms share one. */
  readonly indexes: ReadonlyMap<string, string>;
}

export type Cell = string | number | null;

/** Outside every safe integer, so that null sorts last in an index, whatever its direction. */
const BEYOND_INTEGERS = 9_000_000_000_000_000_000;
const AFTER_TEXTS = Buffer.alloc(0);
const BEFORE_TEXTS = 0;

const DELIMITER = '\u001f';
const ESCAPE = '\u001e';

export function viewTable(generation: number, spec: CollectionSpec): ViewTable {
  const columns = Object.keys(spec.fields).map(column);
  const name = `view_${generation}`;
  const sorts = Object.values(spec.orders).map((terms) => sortKeys(spec, terms).join());
  const indexes = Object.keys(spec.orders).map((order, i): [string, string] => {
    return [order, `${name}_by_${sorts.indexOf(sorts[i] ?? '')}`];
  });
  return { generation, spec, name, columns, indexes: new Map(indexes) };
}

/** Without the indexes, which only reading needs: see {@link indexStatements}. */
export function createTables(db: Database, { name, spec, columns }: ViewTable): void {
  const types = Object.values(spec.fields);
  const declared = columns
    .map((one, i) => `${one} ${types[i] === 'integer' ? 'INTEGER' : 'TEXT'},`)
    .join(' ');
  db.exec(`CREATE TABLE ${name} (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, position TEXT NOT NULL,
    ${declared} words TEXT, json TEXT NOT NULL) STRICT`);
  if (types.includes('texts')) {
    db.exec(`CREATE TABLE ${name}_texts (field TEXT NOT NULL, value TEXT NOT NULL, document INTEGER NOT NULL,
      PRIMARY KEY (field, value, document)) STRICT, WITHOUT ROWID`);
  }
  if (spec.searchable === true) {
    // Beginnings of one and two letters have lists of their own, after the digit of the band: to merge those of all the
    // words that begin so takes five times as long, and whoever asks by such beginnings holds up everybody.
    db.exec(`CREATE VIRTUAL TABLE ${name}_words
      USING fts5(tokens, content='', detail=none, columnsize=0, prefix='2 3', tokenize='ascii')`);
  }
}

/** How to make each index, by its name. Much faster when the documents are there before. */
export function indexStatements(table: ViewTable): ReadonlyMap<string, string> {
  const { name, spec, columns } = table;
  const orders = Object.entries(spec.orders);
  const byOrder = orders.map(([order, terms]) => {
    return [orderIndex(table, order), [...sortKeys(spec, terms), ...columns]] as const;
  });
  const inFirstOrder = sortKeys(spec, orders[0]?.[1] ?? []);
  const byField = Object.entries(spec.fields)
    .filter(([field, type]) => type !== 'texts' && orderStartingWith(spec, field) === null)
    .map(([field]) => [fieldIndex(table, field), [column(field), ...inFirstOrder]] as const);
  return new Map(
    [...byOrder, ...byField].map(([index, keys]) => [
      index.replaceAll('"', ''),
      `CREATE INDEX ${index} ON ${name} (${keys.join(', ')})`,
    ]),
  );
}

export function column(field: string): string {
  return `"f_${identifier(field)}"`;
}

export function orderIndex({ indexes }: ViewTable, order: string): string {
  const index = indexes.get(order);
  if (index === undefined) throw new RangeError(`there is no order ${order}`);
  return index;
}

/** The index of a field that no order starts with. */
export function fieldIndex({ name }: ViewTable, field: string): string {
  return `"${name}_of_${identifier(field)}"`;
}

/** An order whose index lists the documents by this field. */
export function orderStartingWith(spec: CollectionSpec, field: string): string | null {
  return Object.keys(spec.orders).find((order) => spec.orders[order]?.[0]?.field === field) ?? null;
}

/** What an order sorts by, the key last, as in its index. */
export function sortKeys(spec: CollectionSpec, terms: readonly OrderTerm[]): readonly string[] {
  return [...terms.map((term) => `${sortKey(spec, term)} ${term.direction}`), 'key'];
}

/** The expression that stands for the field in this direction. */
export function sortKey(spec: CollectionSpec, { field, direction }: OrderTerm): string {
  if (spec.fields[field] === 'integer') {
    return `coalesce(${column(field)}, ${direction === 'asc' ? BEYOND_INTEGERS : -BEYOND_INTEGERS})`;
  }
  return `coalesce(${column(field)}, ${direction === 'asc' ? "x''" : BEFORE_TEXTS})`;
}

/** What the expression of {@link sortKey} yields for a value. */
export function sortValue(spec: CollectionSpec, { field, direction }: OrderTerm, value: Cell): Cell | Buffer {
  if (value !== null) return value;
  if (spec.fields[field] === 'integer') return direction === 'asc' ? BEYOND_INTEGERS : -BEYOND_INTEGERS;
  return direction === 'asc' ? AFTER_TEXTS : BEFORE_TEXTS;
}

/** What the columns of the fields and of the words hold for a document. */
export function cellsOf({ spec }: ViewTable, { fields, words }: IndexedDocument): Cell[] {
  const cells = Object.keys(spec.fields).map((field): Cell => {
    return Object.hasOwn(fields, field) ? cellOf(fields[field]) : null;
  });
  return [...cells, wordCell(words)];
}

function cellOf(value: FieldValue | undefined): Cell {
  if (typeof value !== 'object' || value === null) return value ?? null;
  return value.length === 0 ? null : `${DELIMITER}${value.map(escaped).join(DELIMITER)}${DELIMITER}`;
}

/** The texts that {@link cellOf} put into a cell. */
export function textsOf(cell: Cell): readonly string[] {
  if (typeof cell !== 'string') return [];
  return [...new Set(cell.slice(1, -1).split(DELIMITER).map(unescaped))];
}

/** The part of a cell that shows that it holds the text. */
export function heldText(text: string): string {
  return `${DELIMITER}${escaped(text)}${DELIMITER}`;
}

/** A word of band 1 is found when looking within band 1 and within band 2: it stands there as `1word` and `2word`. */
function wordCell(bands: WordBands | null): string | null {
  if (bands === null) return null;
  let cell = '';
  bands.forEach((words, band) => {
    for (const word of words)
      for (let within = band; within < bands.length; within++) cell += ` ${within}${word}`;
  });
  return cell;
}

function escaped(text: string): string {
  return text.replaceAll(ESCAPE, `${ESCAPE}0`).replaceAll(DELIMITER, `${ESCAPE}1`);
}

function unescaped(text: string): string {
  return text.replaceAll(`${ESCAPE}1`, DELIMITER).replaceAll(`${ESCAPE}0`, ESCAPE);
}

/** Names go into SQL as they are: they come from specs in the code, and from nowhere else. */
function identifier(name: string): string {
  if (!/^[a-zA-Z][a-zA-Z0-9_]*$/.test(name)) throw new RangeError(`${name} cannot name a field`);
  return name;
}

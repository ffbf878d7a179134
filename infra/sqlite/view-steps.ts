/**
 * What takes long on the file of the views, in steps: a generation that was filled is made readable (its indexes, its
 * lists of texts and words, its count), and the tables of one that was dropped are removed. Whoever is killed between
 * two steps, or within one, goes on where the file stands.
 */
import type { Database } from 'better-sqlite3';
import type { ViewEngine } from './view-engine.ts';
import { ALL_LISTED, viewLists } from './view-lists.ts';
import { indexStatements, viewTable } from './view-tables.ts';

export type ViewChore =
  | { readonly kind: 'make-readable'; readonly view: string; readonly generation: number }
  /** Of all generations that are gone. */
  | { readonly kind: 'remove-tables' };

type Parts = Pick<ViewEngine, 'db' | 'generations'>;

/** Takes the next step, within a transaction. Answers whether nothing is left to do. */
export function takeStep(parts: Parts, chore: ViewChore): boolean {
  switch (chore.kind) {
    case 'make-readable':
      return makeReadable(parts, chore.view, chore.generation);
    case 'remove-tables':
      return removeTables(parts);
  }
}

/** About how many documents the next step is to look at: null where there is none. */
export function documentsOf({ db, generations }: Parts, chore: ViewChore): number | null {
  switch (chore.kind) {
    case 'make-readable': {
      const row = generations.find(chore.view, chore.generation);
      return row === undefined || row.listedTo === ALL_LISTED ? null : lastId(db, tableOf(row.generation));
    }
    case 'remove-tables': {
      const left = leftTables(db, generations)[0];
      return left === undefined ? null : lastId(db, tableOf(left.generation));
    }
  }
}

function makeReadable({ db, generations }: Parts, view: string, generation: number): boolean {
  const row = generations.find(view, generation);
  if (row === undefined || row.listedTo === ALL_LISTED) return true;
  const table = viewTable(generation, row.spec);
  const made = new Set(indexesOf(db, table.name));
  const missing = [...indexStatements(table)].find(([index]) => !made.has(index));
  if (missing !== undefined) {
    db.exec(missing[1]);
    return false;
  }
  const listedTo = viewLists(db, table).listAfter(row.listedTo);
  if (listedTo === ALL_LISTED) generations.setDocuments(generation, countDocuments(db, table.name));
  generations.setListed(generation, listedTo);
  return listedTo === ALL_LISTED;
}

/** One index or table a step, the table of the documents last. */
function removeTables({ db, generations }: Parts): boolean {
  const [left] = leftTables(db, generations);
  if (left === undefined) return true;
  const [index] = indexesOf(db, left.name);
  db.exec(index === undefined ? `DROP TABLE ${left.name}` : `DROP INDEX "${index}"`);
  return false;
}

interface LeftTable {
  readonly name: string;
  readonly generation: number;
}

/** The numbers of generations are never used again. */
function leftTables(db: Database, generations: Parts['generations']): readonly LeftTable[] {
  const known = new Set(generations.all().map(({ generation }) => generation));
  return db
    .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY length(name) DESC`)
    .pluck()
    .all()
    .flatMap((name) => {
      const generation = Number(OWN_TABLE.exec(name)?.groups?.['generation']);
      return Number.isNaN(generation) || known.has(generation) ? [] : [{ name, generation }];
    });
}

/** Not those that FTS5 keeps for itself beside its own. */
const OWN_TABLE = /^view_(?<generation>\d+)(?:_texts|_words)?$/;

function tableOf(generation: number): string {
  return `view_${generation}`;
}

/** Those that were made by a statement. */
function indexesOf(db: Database, table: string): readonly string[] {
  return db
    .prepare<[string], string>(
      `SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = ?`,
    )
    .pluck()
    .all(table);
}

/** No less than there are documents, unless many came and went. */
function lastId(db: Database, table: string): number {
  return db.prepare<[], number>(`SELECT coalesce(max(id), 0) FROM ${table}`).pluck().get() ?? 0;
}

function countDocuments(db: Database, name: string): number {
  return db.prepare<[], number>(`SELECT count(*) FROM ${name}`).pluck().get() ?? 0;
}

/**
 * The lists of a generation: who holds a text, and who holds a word. A generation that is being filled has none; they
 * are made afterwards in slices (view-steps.ts), and meanwhile only documents up to the last listed one are kept in them.
 */
import type { Database } from 'better-sqlite3';
import { type Cell, textsOf, type ViewTable } from './view-tables.ts';

/** Beyond every document: all are listed. */
export const ALL_LISTED = Number.MAX_SAFE_INTEGER;

/** Some hundredths of a second of work, for which others cannot write. */
const SLICE_DOCUMENTS = 2_000;

export interface ViewLists {
  /** A document's cells have changed; none before or after where it comes or goes. */
  readonly move: (id: number, before: readonly Cell[], after: readonly Cell[]) => void;
}

type Listed = readonly [id: number, ...cells: Cell[]];

export function viewLists(db: Database, table: ViewTable) {
  const { name, columns } = table;
  const texts = textList(db, table);
  const words = wordList(db, table);
  const slice = db
    .prepare<[number], Listed>(
      `SELECT id, ${[...columns, 'words'].join(', ')} FROM ${name} WHERE id > ? ORDER BY id LIMIT ${SLICE_DOCUMENTS}`,
    )
    .raw();
  const move: ViewLists['move'] = (id, before, after) => {
    texts(id, before, after);
    words(id, before.at(-1) ?? null, after.at(-1) ?? null);
  };

  return {
    upTo: (listedTo: number): ViewLists => ({
      move(id, before, after) {
        if (id <= listedTo) move(id, before, after);
      },
    }),
    /** Lists the next documents and answers with the last that is listed now. */
    listAfter(listedTo: number): number {
      const documents = slice.all(listedTo);
      for (const [id, ...cells] of documents) move(id, [], cells);
      const [last] = documents.at(-1) ?? [];
      return last === undefined || documents.length < SLICE_DOCUMENTS ? ALL_LISTED : last;
    },
  };
}

function textList(db: Database, { name, spec }: ViewTable) {
  const places = Object.entries(spec.fields).flatMap(([field, type], i) =>
    type === 'texts' ? [{ field, i }] : [],
  );
  if (places.length === 0) return () => {};
  const add = db.prepare<[string, string, number]>(
    `INSERT INTO ${name}_texts (field, value, document) VALUES (?, ?, ?)`,
  );
  const drop = db.prepare<[string, string, number]>(
    `DELETE FROM ${name}_texts WHERE field = ? AND value = ? AND document = ?`,
  );
  return (id: number, before: readonly Cell[], after: readonly Cell[]): void => {
    for (const { field, i } of places) {
      if (before[i] === after[i]) continue;
      for (const text of textsOf(before[i] ?? null)) drop.run(field, text, id);
      for (const text of textsOf(after[i] ?? null)) add.run(field, text, id);
    }
  };
}

function wordList(db: Database, { name, spec }: ViewTable) {
  if (spec.searchable !== true) return () => {};
  const add = db.prepare<[number, string]>(`INSERT INTO ${name}_words (rowid, tokens) VALUES (?, ?)`);
  // FTS5 holds no copy of the words: to forget a document it must be told again what it had been given.
  const drop = db.prepare<[number, string]>(
    `INSERT INTO ${name}_words (${name}_words, rowid, tokens) VALUES ('delete', ?, ?)`,
  );
  return (id: number, before: Cell, after: Cell): void => {
    if (before === after) return;
    if (typeof before === 'string') drop.run(id, before);
    if (typeof after === 'string') add.run(id, after);
  };
}

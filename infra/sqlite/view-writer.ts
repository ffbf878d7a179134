/** Writes the documents of one generation; the caller holds the transaction. */
import type { Database, Statement } from 'better-sqlite3';
import type { FieldValue, IndexedDocument, ViewWrite } from '../../projections/view-store.ts';
import { cellOf, textsOf, wordCell, type Cell, type ViewTable } from './view-tables.ts';

/** Which columns change together is a matter of a few events; a bound all the same. */
const MAX_REWRITES = 64;

export interface ViewWriter {
  readonly load: (key: string) => string | undefined;
  readonly write: (writes: readonly ViewWrite[]) => Changes;
}

export interface Changes {
  /** How many documents there are more than before. */
  added: number;
  /** How many documents came, went or changed what they are found or sorted by. */
  moved: number;
}

/** id, the cell of each field, the words. */
type Held = readonly [id: number, ...cells: Cell[]];

export function viewWriter(db: Database, table: ViewTable): ViewWriter {
  const { name, spec, columns } = table;
  const cells = [...columns, 'words'];
  const json = db.prepare<[string], string>(`SELECT json FROM ${name} WHERE key = ?`).pluck();
  const held = db.prepare<[string], Held>(`SELECT id, ${cells.join(', ')} FROM ${name} WHERE key = ?`).raw();
  const insert = db.prepare<Cell[]>(
    `INSERT INTO ${name} (key, position, ${cells.join(', ')}, json) VALUES (?, ?, ${cells.map(() => '?').join(', ')}, ?)`,
  );
  const refresh = db.prepare<[string, string, number]>(
    `UPDATE ${name} SET position = ?, json = ? WHERE id = ?`,
  );
  const remove = db.prepare<[number]>(`DELETE FROM ${name} WHERE id = ?`);
  // Only what changed is set: SQLite then leaves the indexes of the other columns alone.
  const rewrites = new Map<string, Statement<Cell[]>>();
  const rewriting = (changed: readonly string[]): Statement<Cell[]> => {
    const sets = changed.map((one) => `${one} = ?, `).join('');
    const statement =
      rewrites.get(sets) ??
      db.prepare<Cell[]>(`UPDATE ${name} SET position = ?, ${sets}json = ? WHERE id = ?`);
    if (rewrites.size < MAX_REWRITES) rewrites.set(sets, statement);
    return statement;
  };
  const texts = textIndex(db, table);
  const words = wordIndex(db, table);
  const fields = Object.keys(spec.fields);

  const cellsOf = ({ fields: values, words: bands }: IndexedDocument): Cell[] => [
    ...fields.map((field): Cell => cellOf(own(values, field))),
    wordCell(bands),
  ];
  const move = (id: number, before: readonly Cell[], after: readonly Cell[]): void => {
    texts(id, before, after);
    words(id, before.at(-1) ?? null, after.at(-1) ?? null);
  };
  const writeOne = ({ key, document, position }: ViewWrite, changes: Changes): void => {
    const [id, ...before] = held.get(key) ?? [null];
    if (document === null) {
      if (id === null) return;
      move(id, before, []);
      remove.run(id);
      changes.added -= 1;
      changes.moved += 1;
      return;
    }
    const after = cellsOf(document);
    if (id === null) {
      const { lastInsertRowid } = insert.run(key, position, ...after, document.json);
      move(Number(lastInsertRowid), [], after);
      changes.added += 1;
      changes.moved += 1;
      return;
    }
    const changed = cells.filter((_, i) => after[i] !== before[i]);
    if (changed.length === 0) {
      refresh.run(position, document.json, id);
      return;
    }
    rewriting(changed).run(position, ...after.filter((cell, i) => cell !== before[i]), document.json, id);
    move(id, before, after);
    changes.moved += 1;
  };

  return {
    load: (key) => json.get(key),
    write(writes) {
      const changes = { added: 0, moved: 0 };
      for (const write of writes) writeOne(write, changes);
      return changes;
    },
  };
}

function textIndex(db: Database, { name, spec }: ViewTable) {
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

function wordIndex(db: Database, { name, spec }: ViewTable) {
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

function own(fields: IndexedDocument['fields'], field: string): FieldValue | undefined {
  return Object.hasOwn(fields, field) ? fields[field] : undefined;
}

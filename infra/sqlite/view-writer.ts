/** Writes the documents of one generation; the caller holds the transaction. */
import type { Database, Statement } from 'better-sqlite3';
import type { IndexedDocument, ViewWrite } from '../../projections/view-store.ts';
import { type Cell, cellsOf, type ViewTable } from './view-tables.ts';
import { storedText } from './view-errors.ts';
import { type ViewLists, viewLists } from './view-lists.ts';

/** Which columns change together is a matter of a few events; a bound all the same. */
const MAX_REWRITES = 64;

export interface ViewWriter {
  readonly load: (key: string) => string | undefined;
  /** @param listedTo the last document whose texts and words are listed; the later ones will be */
  readonly write: (writes: readonly ViewWrite[], listedTo: number) => Changes;
  /** For a generation that is being filled and cannot be read yet: nothing is listed, nothing counted. */
  readonly fill: (writes: readonly ViewWrite[]) => void;
}

export interface Changes {
  /** How many documents there are more than before. */
  added: number;
  /** How many documents came, went or changed what they are found or sorted by. */
  moved: number;
}

/** A write that removes nothing. */
interface Kept {
  readonly key: string;
  readonly position: string;
  readonly document: IndexedDocument;
}

/** id, the cell of each field, the words. */
type Held = readonly [id: number, ...cells: Cell[]];

export function viewWriter(db: Database, table: ViewTable): ViewWriter {
  const { name } = table;
  const json = db.prepare<[string], string>(`SELECT json FROM ${name} WHERE key = ?`).pluck();
  const lists = viewLists(db, table);
  const { held, insert, upsert, rewriting, remove, removeKey } = statementsOf(db, table);

  const removeOne = (key: string, changes: Changes, listed: ViewLists): void => {
    const [id, ...before] = held.get(key) ?? [];
    if (id === undefined) return;
    listed.move(id, before, []);
    remove.run(id);
    changes.added -= 1;
    changes.moved += 1;
  };

  /** Whether there was none with this key. */
  const insertOne = ({ key, position, document }: Kept, changes: Changes, listed: ViewLists): boolean => {
    const cells = cellsOf(table, document);
    const inserted = insert.run(key, position, ...cells, document.json);
    if (inserted.changes === 0) return false;
    listed.move(Number(inserted.lastInsertRowid), [], cells);
    changes.added += 1;
    changes.moved += 1;
    return true;
  };

  const rewriteOne = ({ key, position, document }: Kept, changes: Changes, listed: ViewLists): boolean => {
    const [id, ...before] = held.get(key) ?? [];
    if (id === undefined) return false;
    const after = cellsOf(table, document);
    const isChanged = after.map((cell, i) => cell !== before[i]);
    rewriting(isChanged).run(position, ...after.filter((_, i) => isChanged[i]), document.json, id);
    if (!isChanged.includes(true)) return true;
    listed.move(id, before, after);
    changes.moved += 1;
    return true;
  };

  const writeOne = (
    { key, position, document, isNew }: ViewWrite,
    changes: Changes,
    listed: ViewLists,
  ): void => {
    if (document === null) return removeOne(key, changes, listed);
    const kept = { key, position, document };
    const [first, second] = isNew === true ? [insertOne, rewriteOne] : [rewriteOne, insertOne];
    if (!first(kept, changes, listed)) second(kept, changes, listed);
  };

  return {
    load(key) {
      const found = json.get(key);
      return found === undefined ? undefined : storedText(found);
    },
    write(writes, listedTo) {
      const changes = { added: 0, moved: 0 };
      const listed = lists.upTo(listedTo);
      for (const write of writes) writeOne(write, changes, listed);
      return changes;
    },
    fill(writes) {
      for (const { key, position, document } of writes) {
        if (document === null) removeKey.run(key);
        else upsert.run(key, position, ...cellsOf(table, document), document.json);
      }
    },
  };
}

function statementsOf(db: Database, { name, columns }: ViewTable) {
  const cells = [...columns, 'words'];
  const all = ['key', 'position', ...cells, 'json'];
  const inserting = `INSERT INTO ${name} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})`;
  const replacing = all.slice(1).map((one) => `${one} = excluded.${one}`);
  // Only what changed is set: SQLite then leaves the indexes of the other columns alone.
  const rewrites = new Map<string, Statement<Cell[]>>();
  return {
    held: db.prepare<[string], Held>(`SELECT id, ${cells.join(', ')} FROM ${name} WHERE key = ?`).raw(),
    insert: db.prepare<Cell[]>(`${inserting} ON CONFLICT (key) DO NOTHING`),
    upsert: db.prepare<Cell[]>(`${inserting} ON CONFLICT (key) DO UPDATE SET ${replacing.join(', ')}`),
    remove: db.prepare<[number]>(`DELETE FROM ${name} WHERE id = ?`),
    removeKey: db.prepare<[string]>(`DELETE FROM ${name} WHERE key = ?`),
    rewriting: (isChanged: readonly boolean[]): Statement<Cell[]> => {
      const sets = cells.map((one, i) => (isChanged[i] ? `${one} = ?, ` : '')).join('');
      const known = rewrites.get(sets);
      if (known !== undefined) return known;
      const statement = db.prepare<Cell[]>(`UPDATE ${name} SET position = ?, ${sets}json = ? WHERE id = ?`);
      if (rewrites.size < MAX_REWRITES) rewrites.set(sets, statement);
      return statement;
    },
  };
}

/**
 * A view as it is at one moment, on a connection of its own: what is written after its transaction has begun to read,
 * SQLite does not show it. The pages are not remembered: whoever reads all rows reads each once.
 */
import Database from 'better-sqlite3';
import { type CollectionSpec, ViewBeingBuilt, type ViewSnapshot } from '../../projections/view-store.ts';
import { closedOnFailure } from './connections.ts';
import { viewCounts } from './view-counts.ts';
import { answering } from './view-errors.ts';
import { mapForReading } from './view-file.ts';
import { generationTable } from './view-generations.ts';
import { viewPages } from './view-pages.ts';
import { preparedStatements } from './view-statements.ts';
import { viewTable } from './view-tables.ts';

/**
 * @param today what this program knows of the view; undefined where nothing
 * @param assertInPlace throws where the file was removed or replaced
 */
export function viewSnapshot(
  path: string,
  view: string,
  today: CollectionSpec | undefined,
  assertInPlace: () => void,
): ViewSnapshot {
  assertInPlace();
  const db = answering(() => new Database(path, { readonly: true, fileMustExist: true }));
  const open = (): ViewSnapshot => {
    mapForReading(db);
    db.exec('BEGIN');
    const row = generationTable(db)
      .of(view)
      .find(({ live }) => live);
    if (row === undefined)
      throw today === undefined ? new RangeError(`there is no view ${view}`) : new ViewBeingBuilt(view);
    const table = viewTable(row.generation, row.spec);
    const prepared = preparedStatements(db);
    const pages = viewPages(prepared, table, viewCounts(prepared, table, row.documents));
    return {
      generation: row.generation,
      async page(query) {
        assertInPlace();
        return answering(() => pages.page(query, today ?? row.spec));
      },
      async close() {
        db.close();
      },
    };
  };
  return closedOnFailure(db, () => answering(open));
}

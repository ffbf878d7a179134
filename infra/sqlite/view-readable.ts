/** Makes a generation that was filled readable: its indexes, its lists of texts and words, its count. */
import type { Database } from 'better-sqlite3';
import type { GenerationRow, GenerationTable } from './view-generations.ts';
import { ALL_LISTED, viewLists } from './view-lists.ts';
import { indexStatements, viewTable } from './view-tables.ts';

/** Each step is run in a transaction of its own, again until it says that it is done. */
export function* readableSteps(
  db: Database,
  generations: GenerationTable,
  { view, generation, spec }: GenerationRow,
): Generator<() => boolean, void> {
  const table = viewTable(generation, spec);
  const isThere = (): boolean => generations.exists(view, generation);
  for (const statement of indexStatements(table)) {
    yield () => {
      if (isThere()) db.exec(statement);
      return true;
    };
  }
  yield () => {
    const listedTo = generations.find(view, generation)?.listedTo ?? ALL_LISTED;
    if (listedTo === ALL_LISTED) return true;
    const now = viewLists(db, table).listAfter(listedTo);
    if (now === ALL_LISTED) generations.setDocuments(generation, countDocuments(db, table.name));
    generations.setListed(generation, now);
    return now === ALL_LISTED;
  };
}

function countDocuments(db: Database, name: string): number {
  return db.prepare<[], number>(`SELECT count(*) FROM ${name}`).pluck().get() ?? 0;
}

/** Imports of data sets as events, for tests of deciders and views. */
import { type DataSetCommand, dataSetDecider, type RowBatch } from '../../commands/data-set/data-set.ts';
import type { ImportedRow, ImportSource } from '../../events/data-set-events.ts';
import { idFrom } from '../../events/ids.ts';
import { streamOf } from '../../src/operations/directory/example-history.ts';

export const DAY_1 = '2026-11-01T09:00:00.000Z';
export const DAY_2 = '2026-11-02T09:00:00.000Z';
export const DAY_3 = '2026-11-03T09:00:00.000Z';

export const importIdOf = (name: string): string => idFrom('import', DAY_1, name);

export const SOURCE: ImportSource = { kind: 'file', name: 'rows.jsonl', sha256: 'a'.repeat(64), bytes: 42 };
export const ATTRIBUTION = { text: 'The list and its contributors', url: null, licence: 'MIT' };

const NO_ROWS = { added: 0, changed: 0, returned: 0, retired: 0, unchanged: 0, refused: 0 };

export function row(id: string, fields: ImportedRow['fields'] = { name: id }): ImportedRow {
  return { id, digest: 'A'.repeat(22), fields };
}

export const listed = (...rows: ImportedRow[]): RowBatch => ({ type: 'RowsListed', rows });
export const revised = (...rows: ImportedRow[]): RowBatch => ({ type: 'RowsRevised', rows });
export const returned = (...rows: ImportedRow[]): RowBatch => ({ type: 'RowsReturned', rows });
export const retired = (...ids: string[]): RowBatch => ({ type: 'RowsRetired', ids });

export function begin(
  dataset: string,
  name: string,
  after: string | null,
  first: readonly RowBatch[],
  batches = first.length,
): Extract<DataSetCommand, { type: 'BeginImport' }> {
  const terms = {
    dataset,
    importId: importIdOf(name),
    source: SOURCE,
    attribution: ATTRIBUTION,
    isComplete: false,
    counts: NO_ROWS,
    batches,
  };
  return { type: 'BeginImport', terms, after: after === null ? null : importIdOf(after), first };
}

/** The stream of a data set with one import a day, each whole. */
export function importsOf(dataset: string, ...days: readonly (readonly [string, readonly RowBatch[]])[]) {
  const commands = days.map(([at, batches], day) => {
    const before = day === 0 ? null : `import ${day - 1}`;
    return [at, begin(dataset, `import ${day}`, before, batches)] as const;
  });
  return streamOf(dataSetDecider, dataset, ...commands);
}

/** A data set as a file: which view its rows are in, and how each of them is written. */
import type { DataSetDocument } from '../../projections/data-sets.ts';
import type { DataRow } from '../../projections/data-rows.ts';
import { DIRECTORY_ROWS, directoryRowDocument, directoryRows } from '../../projections/directory-rows.ts';
import { modelDocument } from '../../projections/model-document.ts';
import { MODELS, models } from '../../projections/models.ts';
import type { Handlers } from '../../projections/projection.ts';
import { toolDocument, TOOLS, tools } from '../../projections/tools.ts';
import { csvRecord } from './csv.ts';

export const EXPORT_FORMATS = ['csv', 'jsonl', 'csv.gz', 'jsonl.gz'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface RowsPlace {
  readonly dataset: string;
  readonly view: string;
  /** What makes its rows of the events of the data set. */
  readonly handlers: Handlers<DataRow>;
  readonly filter: Readonly<Record<string, string>>;
  /** The columns of CSV. What a row has beside them is in the last one. */
  readonly columns: readonly string[];
}

export const OTHER_FIELDS = 'otherFields';

const TOOL_COLUMNS = Object.keys(toolDocument.shape);
const MODEL_COLUMNS = Object.keys(modelDocument.shape);
const DIRECTORY_COLUMNS = Object.keys(directoryRowDocument.shape);

export function placeOf({ kind, dataset }: Pick<DataSetDocument, 'kind' | 'dataset'>): RowsPlace {
  switch (kind) {
    case 'tools':
      return { dataset, view: TOOLS, handlers: tools.on, filter: {}, columns: TOOL_COLUMNS };
    case 'models':
      return { dataset, view: MODELS, handlers: models.on, filter: {}, columns: MODEL_COLUMNS };
    case 'directory':
      return {
        dataset,
        view: DIRECTORY_ROWS,
        handlers: directoryRows.on,
        filter: { dataset },
        columns: DIRECTORY_COLUMNS,
      };
  }
}

export interface RowWriter {
  /** What stands before the first row. */
  readonly head: string;
  /** @param json the row as its view keeps it */
  readonly write: (json: string, row: Readonly<Record<string, unknown>>) => string;
}

export function rowWriter(format: ExportFormat, columns: readonly string[]): RowWriter {
  if (format.startsWith('jsonl')) return { head: '', write: (json) => `${json}\n` };
  return {
    head: csvRecord([...columns, OTHER_FIELDS]),
    write: (_json, row) => csvRecord(cellsOf(row, columns)),
  };
}

function cellsOf(row: Readonly<Record<string, unknown>>, columns: readonly string[]): unknown[] {
  const cells: unknown[] = [];
  let found = 0;
  for (const column of columns) {
    const cell = row[column];
    if (cell !== undefined) found += 1;
    cells.push(cell);
  }
  const names = Object.keys(row);
  cells.push(names.length === found ? null : othersOf(row, names, columns));
  return cells;
}

function othersOf(
  row: Readonly<Record<string, unknown>>,
  names: readonly string[],
  columns: readonly string[],
): Readonly<Record<string, unknown>> {
  const others = names.filter((name) => !columns.includes(name)).toSorted();
  return Object.fromEntries(others.map((name) => [name, row[name]]));
}

const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/x-ndjson',
  'csv.gz': 'application/gzip',
  'jsonl.gz': 'application/gzip',
};

export function contentTypeOf(format: ExportFormat): string {
  return CONTENT_TYPES[format];
}

/** As an export of it is named: `directory.mcp.servers.csv.gz`. */
export function fileNameOf(dataset: string, format: ExportFormat): string {
  return `${dataset.replaceAll('/', '.')}.${format}`;
}

const FILE_NAME = /^([a-z0-9-]+(?:\.[a-z0-9-]+)*?)\.((?:csv|jsonl)(?:\.gz)?)$/;

/** Null for a name that no export has. */
export function readFileName(
  name: string,
): { readonly dataset: string; readonly format: ExportFormat } | null {
  const [, dataset, ending] = FILE_NAME.exec(name) ?? [];
  const format = EXPORT_FORMATS.find((one) => one === ending);
  return dataset === undefined || format === undefined
    ? null
    : { dataset: dataset.replaceAll('.', '/'), format };
}

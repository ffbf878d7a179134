/** The view of the platforms' directories: each row as it is served. Its key is `{platform}/{contentType}/{id}`. */
import { z } from 'zod';
import {
  asSourceSays,
  type DataRow,
  hiddenFields,
  indexedText,
  rowFields,
  rowHandlers,
  rowIndex,
  rowIndexFields,
  rowOrders,
  sourceText,
  textOf,
  webAddressOf,
} from './data-rows.ts';
import { defineProjection } from './projection.ts';

export const DIRECTORY_ROWS = 'directory-rows';

export const DIRECTORY = 'directory/';

const texts = {
  externalId: sourceText('Its id at the source.', 'io.example/ledger'),
  name: sourceText('Its name.', 'Ledger'),
  url: sourceText('Its address, or its path at the source.', 'https://ledger.example/mcp'),
  category: sourceText('What it is for, in the source’s words.', 'Finance'),
  description: sourceText('What it does.', 'Reads a general ledger.'),
  author: sourceText('Who made it.', 'ledgerworks'),
  version: sourceText('Its version.', '1.4.0'),
};
export const DIRECTORY_TEXTS: ReadonlySet<string> = new Set(Object.keys(texts));

export const directoryRowDocument = z
  .looseObject({
    ...rowFields,
    ...texts,
    sourceFields: hiddenFields,
  })
  .meta({ id: 'DirectoryRow', description: 'A row of a platform’s directory.' });
export type DirectoryRowDocument = DataRow & Readonly<Record<string, unknown>>;

export const directoryRows = defineProjection<DirectoryRowDocument>({
  name: DIRECTORY_ROWS,
  version: 3,
  summary: 'Rows of the platforms’ directories, listed and retired, with every change of each.',
  schema: directoryRowDocument,
  fields: { ...rowIndexFields, dataset: 'text', category: 'text' },
  orders: rowOrders,
  on: rowHandlers<DirectoryRowDocument>({
    shows: (dataset) => dataset.startsWith(DIRECTORY),
    keyOf: (dataset, id) => `${dataset.slice(DIRECTORY.length)}/${id}`,
    rowOf: ({ fields }, added) =>
      asSourceSays(fields, { ...added, sourceUrl: webAddressOf(fields['url']) }, DIRECTORY_TEXTS),
  }),
  index: (row) => ({
    ...rowIndex(row, textOf(row['name']) || row.id),
    dataset: row.dataset,
    category: indexedText(row['category']),
  }),
  words: (row) => [
    textOf(row['name']),
    textOf(row['category']),
    `${textOf(row['description'])}\n${textOf(row['author'])}\n${row.id}`,
  ],
});

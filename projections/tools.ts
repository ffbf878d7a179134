/** The view of AI tools: each row as it is served. */
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

export const TOOLS = 'tools';

const texts = {
  name: sourceText('Its name.', 'Ledger Lens'),
  url: sourceText('Its address.', 'https://ledger.example/'),
  category: sourceText('What it is for, in the source’s words.', 'Finance'),
  description: sourceText('What it does.', 'Reads a general ledger.'),
  pricing: sourceText('What it costs, in the source’s words.', 'open-source'),
  source: sourceText('The list that names it.', 'awesome-ai-tools'),
};
export const TOOL_TEXTS: ReadonlySet<string> = new Set(Object.keys(texts));

/** What a source says is kept as it says it: a row has these fields in nearly all cases, and may have others. */
export const toolDocument = z
  .looseObject({
    ...rowFields,
    ...texts,
    sourceFields: hiddenFields,
  })
  .meta({ id: 'Tool', description: 'An AI tool.' });
export type ToolDocument = DataRow & Readonly<Record<string, unknown>>;

export const tools = defineProjection<ToolDocument>({
  name: TOOLS,
  version: 3,
  summary: 'AI tools, listed and retired, with every change of each.',
  schema: toolDocument,
  fields: { ...rowIndexFields, category: 'text', pricing: 'text', source: 'text' },
  orders: rowOrders,
  on: rowHandlers<ToolDocument>({
    shows: (dataset) => dataset === TOOLS,
    keyOf: (_dataset, id) => id,
    rowOf: ({ fields }, added) =>
      asSourceSays(fields, { ...added, sourceUrl: webAddressOf(fields['url']) }, TOOL_TEXTS),
  }),
  index: (row) => ({
    ...rowIndex(row, textOf(row['name']) || row.id),
    category: indexedText(row['category']),
    pricing: indexedText(row['pricing']),
    source: indexedText(row['source']),
  }),
  words: (row) => [
    textOf(row['name']),
    textOf(row['category']),
    textOf(row['description']),
    textOf(row['source']),
  ],
});

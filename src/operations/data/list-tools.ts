import { z } from 'zod';
import { toolDocument, TOOLS, type ToolDocument } from '../../../projections/tools.ts';
import { orderOf } from '../list-page.ts';
import { dataRead } from '../metering.ts';
import { defineOperation } from '../operation.ts';
import { exampleTool } from './example-rows.ts';
import { rowQuestion, rowsMeta, sourceWord } from './fields.ts';
import { listRows, wordFilters } from './list-rows.ts';

export const listTools = defineOperation({
  ...dataRead,
  name: 'listTools',
  summary: 'Find AI tools by words, category, pricing and source.',
  description:
    'Every word of `q` must match in name, category, description or source; the best matches come first. Without `q` ' +
    'tools come by name. Fields are as the source has them; category, pricing and source are compared without regard to case.',
  alsoAsCsv: true,
  input: z.strictObject({
    ...rowQuestion,
    category: sourceWord('Only what is for this, in the source’s words.', 'Finance'),
    pricing: sourceWord('Only what costs this, in the source’s words.', 'open-source'),
    source: sourceWord('Only what this list names.', 'ledger-list'),
  }),
  output: z.array(toolDocument),
  meta: rowsMeta,
  refusals: ['plan_required', 'invalid_cursor'],
  example: { input: { q: 'ledger', status: 'listed', format: 'json', limit: 20 }, output: [exampleTool] },
  run: ({ category, pricing, source, ...asked }, call, services) =>
    listRows<ToolDocument>(
      {
        kind: 'tools',
        dataset: TOOLS,
        filter: wordFilters({ category, pricing, source }),
        order: orderOf(undefined, asked.q, 'name'),
        ...asked,
      },
      call,
      services,
    ),
});

import { z } from 'zod';
import { RETIRED_SHOWN_DAYS } from '../../../projections/retired-rows.ts';
import { toolDocument, TOOLS, type ToolDocument } from '../../../projections/tools.ts';
import { dataRead } from '../metering.ts';
import { defineOperation } from '../operation.ts';
import { exampleTool } from './example-rows.ts';
import { getRow, rowIdInput } from './get-row.ts';

export const getTool = defineOperation({
  ...dataRead,
  name: 'getTool',
  summary: 'One AI tool.',
  description: `A retired one is answered for ${RETIRED_SHOWN_DAYS} days more, with \`status\` saying so.`,
  input: z.strictObject({ id: rowIdInput(exampleTool.id) }),
  output: toolDocument,
  refusals: ['not_found'],
  example: { input: { id: exampleTool.id }, output: exampleTool },
  run: ({ id }, { at }, { views }) => getRow<ToolDocument>(views, TOOLS, 'tool', id, at),
});

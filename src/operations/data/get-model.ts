import { z } from 'zod';
import { modelDocument, type ModelDocument } from '../../../projections/model-document.ts';
import { MODELS } from '../../../projections/models.ts';
import { RETIRED_SHOWN_DAYS } from '../../../projections/retired-rows.ts';
import { dataRead } from '../metering.ts';
import { defineOperation } from '../operation.ts';
import { exampleModel } from './example-rows.ts';
import { getRow, rowIdInput } from './get-row.ts';

export const getModel = defineOperation({
  ...dataRead,
  name: 'getModel',
  summary: 'One model of the catalogue.',
  description: `A retired one is answered for ${RETIRED_SHOWN_DAYS} days more, with \`status\` saying so.`,
  input: z.strictObject({ id: rowIdInput(exampleModel.id) }),
  output: modelDocument,
  refusals: ['not_found'],
  example: { input: { id: exampleModel.id }, output: exampleModel },
  run: ({ id }, { at }, { views }) => getRow<ModelDocument>(views, MODELS, 'model', id, at),
});

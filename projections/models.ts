/** The view of the model catalogue. Its key is the model's id at the router, slashes, colons and capitals included. */
import { filterText, rowHandlers, rowIndex, rowIndexFields, rowOrders } from './data-rows.ts';
import { modelDocument, type ModelDocument, readModel } from './model-document.ts';
import { defineProjection } from './projection.ts';
import { pricePico } from './token-price.ts';

export const MODELS = 'models';

export const models = defineProjection<ModelDocument>({
  name: MODELS,
  version: 3,
  summary: 'The model catalogue, listed and retired, with every change of each model.',
  schema: modelDocument,
  fields: {
    ...rowIndexFields,
    provider: 'text',
    modality: 'texts',
    inputModality: 'texts',
    outputModality: 'texts',
    supports: 'texts',
    contextLength: 'integer',
    /** Of a prompt's token, in millionths of a millionth of a dollar. */
    promptPricePico: 'integer',
    createdAtMs: 'integer',
  },
  orders: {
    ...rowOrders,
    '-createdAt': [{ field: 'createdAtMs', direction: 'desc' }],
    '-contextLength': [{ field: 'contextLength', direction: 'desc' }],
    promptPrice: [{ field: 'promptPricePico', direction: 'asc' }],
  },
  on: rowHandlers<ModelDocument>({
    shows: (dataset) => dataset === MODELS,
    keyOf: (_dataset, id) => id,
    rowOf: (row, added) => readModel(row, added).document,
  }),
  index(model) {
    const { architecture, pricing, createdAt } = model;
    const input = architecture.inputModalities.map(filterText);
    const output = architecture.outputModalities.map(filterText);
    return {
      ...rowIndex(model, model.name),
      provider: model.provider === null ? null : filterText(model.provider),
      modality: [...new Set([...input, ...output])],
      inputModality: input,
      outputModality: output,
      supports: model.supportedParameters.map(filterText),
      contextLength: model.contextLength,
      promptPricePico: pricePico(pricing['prompt'] ?? ''),
      createdAtMs: createdAt === null ? null : Date.parse(createdAt),
    };
  },
  words: ({ name, id, description }) => [name, id, description ?? ''],
});

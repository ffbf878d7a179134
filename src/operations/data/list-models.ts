import { z } from 'zod';
import { modelDocument, type ModelDocument } from '../../../projections/model-document.ts';
import { MODELS } from '../../../projections/models.ts';
import { pricePico } from '../../../projections/token-price.ts';
import { orderOf, refuseSort } from '../list-page.ts';
import { dataRead } from '../metering.ts';
import { defineOperation } from '../operation.ts';
import { exampleModel } from './example-rows.ts';
import { rowQuestion, rowsMeta, sourceWord } from './fields.ts';
import { listRows, wordFilters } from './list-rows.ts';

const MODEL_SORTS = ['name', '-createdAt', '-contextLength', 'promptPrice', 'relevance'] as const;

const input = z.strictObject({
  ...rowQuestion,
  provider: sourceWord('Only models of this provider: what their ids begin with.', 'acme'),
  modality: sourceWord('Only models that take or give this.', 'image'),
  inputModality: sourceWord('Only models that take this.', 'image'),
  outputModality: sourceWord('Only models that give this.', 'text'),
  supports: sourceWord('Only models in whose requests this can be set.', 'tools'),
  minContextLength: z.int().min(0).optional().meta({
    description: 'Only models that take at least so many tokens in all.',
    example: 100_000,
  }),
  maxPromptPrice: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,30})?$/, 'must be US dollars for one token, such as 0.0000003')
    .optional()
    .meta({
      description:
        'Only models whose `pricing.prompt` is no higher, in US dollars for one token: 0.000001 is a dollar for a million. Models without a fixed price are left out.',
      example: '0.000001',
    }),
  sort: z.enum(MODEL_SORTS).optional().meta({
    description: 'Without q: name when left out. With q: relevance when left out.',
    example: 'name',
  }),
});

export const listModels = defineOperation({
  ...dataRead,
  name: 'listModels',
  summary: 'Find models by words, provider, modality, context length, price and more.',
  description:
    'Every word of `q` must match in name, id or description. `provider`, modalities and `supports` are compared ' +
    'without regard to case. With a sort by something that a model does not say, it comes last.',
  alsoAsCsv: true,
  input,
  output: z.array(modelDocument),
  meta: rowsMeta,
  refusals: ['plan_required', 'invalid_cursor'],
  example: {
    input: { inputModality: 'image', status: 'listed', format: 'json', limit: 20 },
    output: [exampleModel],
  },
  async run({ provider, modality, inputModality, outputModality, supports, ...rest }, call, services) {
    const { minContextLength, maxPromptPrice, sort, ...asked } = rest;
    const refused = refuseSort(sort, asked.q);
    if (refused !== null) return refused;
    return listRows<ModelDocument>(
      {
        kind: 'models',
        dataset: MODELS,
        filter: {
          ...wordFilters({ provider, modality, inputModality, outputModality, supports }),
          contextLength: minContextLength === undefined ? undefined : { min: minContextLength },
          promptPricePico: maxPromptPrice === undefined ? undefined : { max: priceBound(maxPromptPrice) },
        },
        order: orderOf(sort, asked.q, 'name'),
        ...asked,
      },
      call,
      services,
    );
  },
});

/** No price is beyond what can be compared: a higher bound lets every fixed price through. */
function priceBound(price: string): number {
  return pricePico(price) ?? Number.MAX_SAFE_INTEGER;
}

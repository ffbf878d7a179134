import { z } from 'zod';
import { modelDocument, type ModelDocument } from '../../../projections/model-document.ts';
import { MODELS } from '../../../projections/models.ts';
import { pricePico } from '../../../projections/token-price.ts';
import { orderOf } from '../list-page.ts';
import { dataRead } from '../metering.ts';
import { defineOperation } from '../operation.ts';
import { refuse } from '../refusals.ts';
import { exampleModel } from './example-rows.ts';
import { rowQuestion, rowsMeta, sourceWord } from './fields.ts';
import { listRows, wordFilter } from './list-rows.ts';

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
  async run({ q, sort, status, updatedSince, format, limit, cursor, ...filters }, call, services) {
    if (sort === 'relevance' && q === undefined)
      return refuse('invalid_request', 'relevance sorts the results of a search: give q as well', {
        details: [{ path: 'sort', message: 'relevance needs q' }],
      });
    return listRows<ModelDocument>(
      {
        kind: 'models',
        dataset: MODELS,
        filter: filterOf(filters),
        status,
        updatedSince,
        format,
        order: orderOf(sort, q, 'name'),
        q,
        limit,
        cursor,
      },
      call,
      services,
    );
  },
});

type Filters = Partial<
  Pick<
    z.output<typeof input>,
    | 'provider'
    | 'modality'
    | 'inputModality'
    | 'outputModality'
    | 'supports'
    | 'minContextLength'
    | 'maxPromptPrice'
  >
>;

function filterOf({ minContextLength, maxPromptPrice, ...words }: Filters) {
  const { provider, modality, inputModality, outputModality, supports } = words;
  return {
    provider: wordFilter(provider),
    modality: wordFilter(modality),
    inputModality: wordFilter(inputModality),
    outputModality: wordFilter(outputModality),
    supports: wordFilter(supports),
    contextLength: minContextLength === undefined ? undefined : { min: minContextLength },
    promptPricePico: maxPromptPrice === undefined ? undefined : { max: priceBound(maxPromptPrice) },
  };
}

/** No price is beyond what can be compared: a higher bound lets every fixed price through. */
function priceBound(price: string): number {
  return pricePico(price) ?? Number.MAX_SAFE_INTEGER;
}

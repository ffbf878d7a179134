/** Tools as model hosts take them: one plain subset of JSON Schema, and arguments as strict hosts make models send them. */
import { expect } from 'chai';
import { z } from 'zod';
import { plainInput } from '../../src/mcp/plain-input.ts';
import { argumentReader } from '../../src/mcp/tool-arguments.ts';
import { tools } from '../../src/mcp/tools.ts';

/**
 * What OpenAI (strict), Anthropic (strict), Gemini and Vertex all take by their published lists; `npm run clients` has
 * their own converters read the same tools. Bounds are missing: Anthropic and Azure refuse them. That nothing else may
 * be sent is missing too: strict converters add it, Gemini refuses it and Google's Python SDK dies of it.
 */
const COMMON = ['type', 'description', 'properties', 'required', 'items', 'enum'];
const TYPES = ['object', 'array', 'string', 'integer', 'number', 'boolean'];

describe('The input schema of a tool', () => {
  for (const { name, listed } of tools) {
    it(`${name}: keeps to what all strict hosts take`, () => {
      let objects = 0;
      for (const node of nodesOf(listed.inputSchema)) {
        expect(COMMON, JSON.stringify(node)).to.include.members(Object.keys(node));
        expect(TYPES).to.include(node['type']);
        if (node['type'] !== 'object') continue;
        objects += 1;
        expect(Object.keys(Object(node['properties']))).to.include.members(node['required'] as string[]);
      }
      expect(objects).to.be.greaterThan(0);
    });
  }

  it('tells in words what other keywords would say', () => {
    const field = (text: string): z.core.GlobalMeta => ({ description: text, examples: ['ab'] });
    const schema = z.toJSONSchema(
      z.strictObject({
        limit: z.int().min(1).max(100).default(20).meta({ description: 'How many.' }),
        few: z
          .array(z.string().meta({ description: 'One.' }))
          .min(2)
          .max(5)
          .meta({ description: 'Some.' }),
        text: z.string().max(9).optional().meta(field('A text.')),
        word: z.string().max(9).regex(/^a/).meta(field('A word.')),
        sort: z
          .enum(['a', 'b'])
          .optional()
          .meta({ description: 'Order.', examples: ['a'] }),
        notes: z.record(z.string(), z.string()).optional().meta({ description: 'Notes.' }),
      }),
      { io: 'input' },
    );
    const { properties = {} } = plainInput({ ...schema, type: 'object' } as never);
    expect(properties).to.deep.equal({
      limit: { type: 'integer', description: 'How many. From 1 to 100. 20 when left out.' },
      few: {
        type: 'array',
        items: { type: 'string', description: 'One.' },
        description: 'Some. From 2 to 5 items.',
      },
      text: { type: 'string', description: 'A text. At most 9 characters. Example: ab' },
      word: { type: 'string', description: 'A word. Example: ab' },
      sort: { type: 'string', enum: ['a', 'b'], description: 'Order.' },
      notes: { type: 'string', description: 'Notes. A JSON object, as text.' },
    });
  });

  it('is not made of what a model could not be told', () => {
    const schema = { type: 'object', properties: { any: { anyOf: [{ type: 'string' }] } } } as const;
    expect(() => plainInput(schema)).to.throw('a tool cannot take');
  });
});

describe('The arguments of a tool', () => {
  const read = argumentReader(
    z.strictObject({
      brief: z.string(),
      note: z.string().optional(),
      q: z.string().min(1).optional(),
      sort: z.enum(['a', 'b']).optional(),
      inputs: z.record(z.string(), z.unknown()).optional(),
    }),
  );

  it('may be objects of any shape as they are, or as JSON text', () => {
    for (const inputs of [{ rows: [1, null] }, '{"rows":[1,null]}'])
      expect(read({ inputs })).to.deep.equal({ input: { inputs: { rows: [1, null] } }, fieldErrors: [] });
  });
  it('are refused by name where the text is no JSON object, or no JSON that REST would take', () => {
    for (const inputs of ['{', '[1]', '7', 'null', '{"a":1,"a":2}'])
      expect(read({ inputs })).to.deep.equal({
        input: {},
        fieldErrors: [{ path: 'inputs', message: 'must be a JSON object, as text' }],
      });
  });
  it('are refused by name where JSON text holds an integer that a double cannot hold', () => {
    expect(read({ inputs: '{"rows":[{"id":12345678901234567890}]}' }).fieldErrors).to.deep.equal([
      { path: 'inputs.rows.0.id', message: 'must be within ±9007199254740991: send it as text' },
    ]);
  });
  it('are absent where null or, if that is no value of theirs, empty', () => {
    expect(read({ brief: '', note: '', q: '', sort: '', inputs: '' })).to.deep.equal({
      input: { brief: '', note: '' },
      fieldErrors: [],
    });
    expect(read({ note: null, q: null, inputs: null })).to.deep.equal({ input: {}, fieldErrors: [] });
  });
});

function* nodesOf(schema: unknown): Generator<Record<string, unknown>> {
  const node: Record<string, unknown> = Object(schema);
  yield node;
  for (const field of Object.values(Object(node['properties']))) yield* nodesOf(field);
  if (node['items'] !== undefined) yield* nodesOf(node['items']);
}

/**
 * The one subset of JSON Schema that the strict converters of model hosts all take (OpenAI, Anthropic, Gemini, Vertex):
 * an object of named fields, which are lists, texts, numbers and truth values with a description, and lists of values.
 * Each of them refuses or loses other keywords, so bounds and examples are told in the description; the operation
 * checks them. Even `additionalProperties: false` goes: strict hosts add it, Gemini refuses it.
 */
import { isObject } from '../calling/strict-json.ts';
import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import type { Params } from './json-rpc.ts';

type JsonSchema = ListedTool['inputSchema'];

/** The longest example that is worth its place in a description, in characters. */
const MAX_EXAMPLE_CHARACTERS = 100;

/** @throws a schema that cannot be said so, which is a mistake in a tool */
export function plainInput({ properties = {}, required = [] }: JsonSchema): JsonSchema {
  const fields = Object.entries(properties).map(([name, field]) => [name, plainField(field)]);
  return { type: 'object', properties: Object.fromEntries(fields), required };
}

/** Whether a field takes any object: models send that as JSON text, for no strict host lets them send it as it is. */
export function isOpenObject(field: unknown): boolean {
  return isObject(field) && field['type'] === 'object' && field['properties'] === undefined;
}

function plainField(field: unknown): object {
  if (!isObject(field)) throw new Error('a field of a tool must have a schema');
  const { type, items, enum: values } = field;
  const description = descriptionOf(field);
  if (isOpenObject(field)) return { type: 'string', description };
  switch (type) {
    case 'array':
      return { type, items: plainField(items), description };
    case 'string':
      return values === undefined ? { type, description } : { type, enum: values, description };
    case 'integer':
    case 'number':
    case 'boolean':
      return { type, description };
    default:
      throw new Error(`a tool cannot take ${JSON.stringify(field)}`);
  }
}

function descriptionOf(field: Params): string {
  const { description = '', default: preset } = field;
  const sentences = [
    description,
    isOpenObject(field) ? 'A JSON object, as text.' : '',
    boundsOf(field),
    preset === undefined ? '' : `${JSON.stringify(preset)} when left out.`,
    exampleOf(field),
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

function boundsOf({ type, pattern, minimum, maximum, minItems, maxItems, maxLength }: Params): string {
  if (type === 'array') return rangeOf(minItems, maxItems, ' items');
  // What has a pattern is told by its example.
  if (type === 'string') return pattern === undefined ? rangeOf(undefined, maxLength, ' characters') : '';
  return rangeOf(minimum, maximum, '');
}

function rangeOf(least: unknown, most: unknown, unit: string): string {
  const [low, high] = [least, most].map((bound) => (bound === undefined ? '' : JSON.stringify(bound)));
  if (low !== '' && high !== '') return `From ${low} to ${high}${unit}.`;
  if (high !== '') return `At most ${high}${unit}.`;
  return low === '' ? '' : `At least ${low}${unit}.`;
}

/** Of texts and of what is made of them; a number is told by its bounds, a value by the list of them. */
function exampleOf(field: Params): string {
  const { type, examples, enum: values } = field;
  if (values !== undefined || (type !== 'string' && type !== 'array' && !isOpenObject(field))) return '';
  const [example]: unknown[] = Array.isArray(examples) ? examples : [];
  const text = typeof example === 'string' ? example : JSON.stringify(example ?? '');
  return text === '""' || text.length > MAX_EXAMPLE_CHARACTERS ? '' : `Example: ${text}`;
}

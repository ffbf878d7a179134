/**
 * JSON Schemas for tools, from the operations' zod schemas. Clients differ in what they understand, so they are plain:
 * one object without references, no keyword of our own, no bound that says nothing. Those of inputs are plainer still
 * (plain-input.ts), because hosts turn them into the dialects of their models.
 */
import { isObject } from '../calling/strict-json.ts';
import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Params } from './json-rpc.ts';
import { plainInput } from './plain-input.ts';

export type JsonSchema = ListedTool['inputSchema'];
type Direction = 'input' | 'output';

/** What a caller sends: fields with a default may be left out. */
export function inputSchemaOf(schema: z.ZodType): JsonSchema {
  return plainInput(plainSchema(schema, 'input'));
}

/**
 * What a tool gives. Left open, so that a client which keeps an older list is not broken by a new field; and without
 * examples, which models would pay for in every conversation.
 */
export function outputSchemaOf(schema: z.ZodType): JsonSchema {
  return plainSchema(schema, 'output');
}

function plainSchema(schema: z.ZodType, io: Direction): JsonSchema {
  const { $defs, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  const plain = plainNode(root, { io, definitions: isObject($defs) ? $defs : {}, within: [] });
  if (!isObject(plain) || plain['type'] !== 'object') throw new Error('a tool takes and gives objects');
  return { ...plain, type: 'object' };
}

interface Place {
  readonly io: Direction;
  readonly definitions: Params;
  /** The definitions that this node stands in. */
  readonly within: readonly string[];
}

function plainNode(node: unknown, place: Place): unknown {
  if (Array.isArray(node)) return node.map((element) => plainNode(element, place));
  if (!isObject(node)) return node;
  const { $ref, ...own } = node;
  if (typeof $ref !== 'string') return plainMembers(own, place);
  const name = $ref.slice('#/$defs/'.length);
  // What contains itself is any JSON there.
  if (place.within.includes(name)) return {};
  const target = plainNode(place.definitions[name], { ...place, within: [...place.within, name] });
  return isObject(target) ? { ...target, ...plainMembers(own, place) } : {};
}

function plainMembers(node: Params, place: Place): Params {
  const plain: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(node)) {
    if (saysNothing(keyword, value, place.io)) continue;
    if (keyword === 'example') plain['examples'] = [value];
    else if (VALUES.includes(keyword)) plain[keyword] = value;
    else if (keyword === 'properties' && isObject(value)) plain[keyword] = plainFields(value, place);
    else plain[keyword] = plainNode(value, place);
  }
  return plain;
}

function plainFields(fields: Params, place: Place): Params {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, plainNode(field, place)]));
}

/** Keywords that hold values of the user's, not schemas. */
const VALUES = ['default', 'const', 'enum', 'examples', 'required'];

function saysNothing(keyword: string, value: unknown, io: Direction): boolean {
  if (keyword === 'id' || keyword === '$schema') return true;
  if (keyword === 'minimum') return value === Number.MIN_SAFE_INTEGER;
  if (keyword === 'maximum') return value === Number.MAX_SAFE_INTEGER;
  if (keyword === 'propertyNames') return isObject(value) && Object.keys(value).join() === 'type';
  return (
    io === 'output' && (keyword === 'example' || (keyword === 'additionalProperties' && value === false))
  );
}

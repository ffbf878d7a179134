/**
 * `z.json()` is defined by itself, which the generator would follow without end, and `jsonValue` is a function to it. To a
 * reader both are any JSON value; this says so in the registry, for every such schema below the given one.
 */
import { z } from 'zod';
import { jsonValue } from '../../../events/common.ts';
import { innerOf } from '../../calling/schema-parts.ts';

const ANY_JSON = { type: ['object', 'array', 'string', 'number', 'boolean', 'null'] };

export function writeOutAnyJson(schema: z.core.$ZodType): void {
  if (schema instanceof z.ZodLazy || schema === jsonValue) {
    if (!z.globalRegistry.has(schema)) z.globalRegistry.add(schema, ANY_JSON);
    return;
  }
  for (const part of partsOf(schema)) writeOutAnyJson(part);
}

function partsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodObject) return Object.values<z.core.$ZodType>(schema.shape);
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodUnion) return schema.options;
  if (schema instanceof z.ZodPipe) return [schema.def.in, schema.def.out];
  const inner = innerOf(schema);
  return inner === undefined ? [] : [inner];
}

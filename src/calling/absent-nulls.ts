/**
 * `null` for an optional field is its absence: clients in many languages send it for what is not set. The two are one
 * request, also to an Idempotency-Key, so nulls go before anything else looks at the input.
 */
import { z } from 'zod';
import { innerOf, standsForAbsence } from './schema-parts.ts';
import { isObject } from './strict-json.ts';

type Input = Readonly<Record<string, unknown>>;
type Clean = (value: unknown) => unknown;

const same: Clean = (value) => value;

/** For the input of an operation: gives it without the nulls of optional fields, as it is where there are none. */
export function absentNulls(schema: z.ZodObject): (input: Input) => Input {
  const clean = cleanerOf(schema);
  return (input) => clean(input) as Input; // an object stays one
}

function cleanerOf(schema: z.core.$ZodType): Clean {
  if (schema instanceof z.ZodObject) return objectCleaner(schema);
  if (schema instanceof z.ZodArray) {
    const clean = cleanerOf(schema.element);
    return clean === same ? same : (value) => (Array.isArray(value) ? value.map(clean) : value);
  }
  const inner = innerOf(schema);
  return inner === undefined ? same : cleanerOf(inner);
}

function objectCleaner(schema: z.ZodObject): Clean {
  const fields = Object.entries<z.core.$ZodType>(schema.shape).flatMap(([name, field]) => {
    const clean = cleanerOf(field);
    const isOptional = standsForAbsence(null, field);
    return isOptional || clean !== same ? [{ name, clean, isOptional }] : [];
  });
  if (fields.length === 0) return same;
  return (value) => {
    if (!isObject(value)) return value;
    let cleaned: Record<string, unknown> | undefined;
    for (const { name, clean, isOptional } of fields) {
      const member = value[name];
      if (member === undefined) continue;
      if (member === null && isOptional) {
        cleaned ??= { ...value };
        delete cleaned[name];
        continue;
      }
      const after = clean(member);
      if (after === member) continue;
      cleaned ??= { ...value };
      cleaned[name] = after;
    }
    return cleaned ?? value;
  };
}

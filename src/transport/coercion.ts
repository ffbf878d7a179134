/** What a query string's text means to a schema: only texts that spell a value exactly are taken for that value. */
import { z } from 'zod';
import { innerOf } from '../calling/schema-parts.ts';

/** Turns the text into the value it spells, or leaves it as it is for the schema to refuse. */
export type Coercion = (text: string) => unknown;

const asIs: Coercion = (text) => text;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Whether a field's value is a list. */
export function isList(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodArray) return true;
  const inner = innerOf(schema);
  return inner !== undefined && isList(inner);
}

/** The coercion for one field of an operation's input. Lists are written with commas: `slugs=a,b,c`. */
export function coercionFor(schema: z.core.$ZodType): Coercion {
  if (schema instanceof z.ZodNumber) return (text) => (NUMBER.test(text) ? Number(text) : text);
  if (schema instanceof z.ZodBoolean)
    return (text) => (text === 'true' ? true : text === 'false' ? false : text);
  if (schema instanceof z.ZodLiteral)
    return (text) => [...schema.values].find((value) => String(value) === text) ?? text;
  if (schema instanceof z.ZodArray) {
    const element = coercionFor(schema.element);
    return (text) => text.split(',').map(element);
  }
  const inner = innerOf(schema);
  return inner ? coercionFor(inner) : asIs;
}

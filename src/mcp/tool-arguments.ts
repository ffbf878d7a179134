/**
 * What a model sent, as the operation takes it over REST. Strict hosts make a model fill in every argument, so that an
 * empty text stands for what is not set; and they let it send an object of any shape as JSON text only.
 */
import { z } from 'zod';
import { inexactIntegers, isObject, parseStrictJson } from '../calling/strict-json.ts';
import { absentNulls } from '../calling/absent-nulls.ts';
import { standsForAbsence } from '../calling/schema-parts.ts';
import type { FieldError } from '../operations/refusals.ts';
import type { Params } from './json-rpc.ts';
import { isOpenObject } from './plain-input.ts';

export interface ReadArguments {
  readonly input: Params;
  readonly fieldErrors: readonly FieldError[];
}

export function argumentReader(schema: z.ZodObject): (args: Params) => ReadArguments {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const names = Object.keys(properties);
  const open = names.filter((name) => isOpenObject(properties[name]));
  const leftOut = names.filter(
    (name) => schema.shape[name] !== undefined && standsForAbsence('', schema.shape[name]),
  );
  const withoutNulls = absentNulls(schema);
  return (args) => {
    const input: Record<string, unknown> = { ...args };
    for (const name of leftOut) if (input[name] === '') delete input[name];
    const fieldErrors: FieldError[] = [];
    for (const name of open) {
      const text = input[name];
      if (typeof text !== 'string') continue;
      const parsed = parseStrictJson(text);
      if (parsed.ok && isObject(parsed.value)) {
        input[name] = parsed.value;
        for (const { path, message } of inexactIntegers(text))
          fieldErrors.push({ path: `${name}.${path}`, message });
        continue;
      }
      delete input[name];
      fieldErrors.push({ path: name, message: 'must be a JSON object, as text' });
    }
    return { input: withoutNulls(input), fieldErrors };
  };
}

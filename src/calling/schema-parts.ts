/** What may be asked of a field's schema, whoever calls the operation. */
import { z } from 'zod';

/** The schema that this one wraps: what is optional, has a default, or is read before it is changed. */
export function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly;
  if (isWrapper) return schema.def.innerType;
  return schema instanceof z.ZodPipe ? schema.def.in : undefined;
}

/** Whether the field may be left out and this value, such as null, means nothing of its own to it. */
export function standsForAbsence(value: unknown, field: z.core.$ZodType): boolean {
  return z.safeParse(field, undefined).success && !z.safeParse(field, value).success;
}

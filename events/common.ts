/** The small shapes that many events share. */
import { z } from 'zod';

/** RFC 3339, UTC, milliseconds: times in this form compare as text. */
export const timestamp = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/, {
    message: 'must be a UTC time such as 2026-11-27T09:30:00.000Z',
  })
  // A day that its month does not have is taken for one of the next.
  .refine((text) => new Date(text).getUTCDate() === Number(text.slice(8, 10)), {
    message: 'must be a time that exists',
  });

/** An amount of money in integer cents: a safe integer, never negative. */
export const cents = z.int('must be a whole number of cents').min(0, 'must be 0 cents or more');

export const currency = z.literal('usd');

/** `^[a-z0-9]+(-[a-z0-9]+)*$`, at most 80 characters. */
export const slug = z
  .string()
  .max(80, 'must have at most 80 characters')
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case words joined by hyphens, such as invoice-matcher');

/** SHA-256 in lower-case hexadecimal. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits');

/** Any JSON value, in itself. Not `z.json()`, which is made of itself: what holds such a part cannot be compiled. */
export const jsonValue = z.custom<z.core.util.JSONType>(isJson, 'must be a JSON value');

function isJson(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return value === null || Object.values(value).every(isJson);
    default:
      return false;
  }
}

/**
 * Whether something counts among the outcomes of an agent: paid with real money, by an account that is not its agency's
 * own. Absent where it does not.
 */
export const counts = z.literal(true).optional();

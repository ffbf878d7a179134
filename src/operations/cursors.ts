/**
 * Opaque keyset cursors. A cursor names the last row of the page before by its sort values and key, and is bound to
 * the list it belongs to (its operation, filters and sort): with another list it is refused, never misread.
 */
import { z } from 'zod';
import { canonicalJson } from '../../events/canonical-json.ts';
import { sha256Hex } from '../../events/hash-chain.ts';
import type { Keyset } from '../../projections/view-store.ts';
import { type Refusal, refuse } from './refusals.ts';

/** Enough of a digest that no two lists are mistaken for one another by accident; nothing is protected by it. */
const BINDING_LENGTH = 12;
const MAX_CURSOR_LENGTH = 2_000;

const cursorContent = z.tuple([z.string()]).rest(z.union([z.string(), z.number(), z.null()]));

/** Whatever a list depends on: two lists with equal bindings are the same list. */
export type CursorBinding = readonly [operation: string, ...rest: unknown[]];

export function encodeCursor(binding: CursorBinding, last: Keyset): string {
  return Buffer.from(JSON.stringify([bindingMark(binding), ...last])).toString('base64url');
}

export function decodeCursor(
  binding: CursorBinding,
  cursor: string,
): { readonly ok: true; readonly after: Keyset } | { readonly ok: false; readonly refusal: Refusal } {
  const content = cursorContent.safeParse(jsonIn(cursor));
  if (!content.success) return invalidCursor('is not one that this service gave out');
  const [mark, ...after] = content.data;
  if (mark !== bindingMark(binding))
    return invalidCursor('belongs to a list with other filters or another sort');
  return { ok: true, after };
}

export function invalidCursor(what: string): { readonly ok: false; readonly refusal: Refusal } {
  const message = `the cursor ${what}: take \`nextCursor\` as it came, with the same filters, or start without one`;
  return refuse('invalid_cursor', message, { details: [{ path: 'cursor', message: `${what}` }] });
}

function bindingMark(binding: CursorBinding): string {
  return sha256Hex(canonicalJson(binding)).slice(0, BINDING_LENGTH);
}

function jsonIn(cursor: string): unknown {
  if (cursor.length > MAX_CURSOR_LENGTH) return undefined;
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}

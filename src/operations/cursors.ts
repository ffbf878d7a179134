/**
 * Cursors: opaque to clients, bound to the question they belong to. A cursor holds the place of the last row shown and
 * a mark of the list, its filters and its sort; with any other question it is refused.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../events/canonical-json.ts';
import type { Keyset } from '../../projections/view-store.ts';

/** What a cursor is bound to: the list's name, its filters and its sort, in any order. */
export type CursorBinding = Readonly<Record<string, unknown>>;

const MAX_CURSOR_LENGTH = 2_048;
const MARK_LENGTH = 16;

export function encodeCursor(place: Keyset, binding: CursorBinding): string {
  return Buffer.from(JSON.stringify([markOf(binding), ...place])).toString('base64url');
}

/** The place to go on from; null when the cursor is malformed or belongs to another question. */
export function decodeCursor(cursor: string, binding: CursorBinding): Keyset | null {
  if (cursor.length > MAX_CURSOR_LENGTH) return null;
  const members = parsed(cursor);
  if (members === null || members[0] !== markOf(binding)) return null;
  const place = members.slice(1);
  return place.every(isKeysetValue) ? place : null;
}

function parsed(cursor: string): readonly unknown[] | null {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.toString('base64url') !== cursor) return null;
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function isKeysetValue(value: unknown): value is Keyset[number] {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

function markOf(binding: CursorBinding): string {
  return createHash('sha256').update(canonicalJson(binding)).digest('base64url').slice(0, MARK_LENGTH);
}

/**
 * The cursors of mirrors: how far each view of rows was read, and the day on which that was told. Each view has a place
 * of its own, since one may be ahead of another. What is told on the same day of the same places is the same text, so
 * that an answer with nothing new has the tag that it had.
 */
import { dayOf, RETIRED_SHOWN_DAYS } from '../../../projections/retired-rows.ts';
import type { Keyset } from '../../../projections/view-store.ts';
import { type CursorBinding, decodeCursor, encodeCursor } from '../cursors.ts';
import { type Refusal, refuse } from '../refusals.ts';
import { invalidCursor } from '../list-page.ts';

/** As long as a row that went can be read. */
const GOOD_FOR_DAYS = RETIRED_SHOWN_DAYS;

/** The position and key of the last row that was read of a view; null where none was. */
export type Place = readonly [position: string, key: string] | null;

export function changeCursor(places: readonly Place[], binding: CursorBinding, at: string): string {
  return encodeCursor([dayOf(at), ...places.flatMap((place) => place ?? [null, null])], binding);
}

/** @param views how many places it must hold */
export function readChangeCursor(
  cursor: string,
  binding: CursorBinding,
  views: number,
  at: string,
):
  | { readonly ok: true; readonly places: readonly Place[] }
  | { readonly ok: false; readonly refusal: Refusal } {
  const [day, ...values] = decodeCursor(cursor, binding) ?? [];
  if (typeof day !== 'number' || values.length !== 2 * views) return invalidCursor();
  if (dayOf(at) - day > GOOD_FOR_DAYS) return EXPIRED;
  const places = Array.from({ length: views }, (_, view) => placeOf(values.slice(2 * view)));
  const known = places.filter((place) => place !== undefined);
  return known.length === views ? { ok: true, places: known } : invalidCursor();
}

function placeOf([position, key]: Keyset): Place | undefined {
  if (position === null && key === null) return null;
  return typeof position === 'string' && typeof key === 'string' ? [position, key] : undefined;
}

const EXPIRED = refuse(
  'cursor_expired',
  `This cursor is more than ${GOOD_FOR_DAYS} days old: begin without after, into an empty mirror.`,
);

/**
 * The cursors of mirrors: how far each view of rows was read, and the day on which that was told. Each view has a place
 * of its own, since one may be ahead of another. What is told on the same day of the same places is the same text, so
 * that an answer with nothing new has the tag that it had.
 *
 * Places are positions of the log. After a move of the market, or when it was set back, they are those of other events,
 * and whoever went on from them would never hear of some rows. So a cursor knows its log again by the last event it saw.
 */
import type { EventStore } from '../../../events/event-store.ts';
import { dayOf, RETIRED_SHOWN_DAYS } from '../../../projections/retired-rows.ts';
import type { Keyset } from '../../../projections/view-store.ts';
import { type CursorBinding, decodeCursor, encodeCursor } from '../cursors.ts';
import { refuse, type Refused } from '../refusals.ts';
import { invalidCursor } from '../list-page.ts';

/** As long as a row that went can be read. */
const GOOD_FOR_DAYS = RETIRED_SHOWN_DAYS;
/** Of an event's id, which is random at its end. */
const MARK_CHARS = 12;

/** The position and key of the last row that was read of a view; null where none was. */
export type Place = readonly [position: string, key: string] | null;

type Log = Pick<EventStore, 'marks' | 'knows'>;

/** @throws {StoreUnavailable} */
export async function changeCursor(
  places: readonly Place[],
  binding: CursorBinding,
  at: string,
  log: Log,
): Promise<string> {
  const values = places.flatMap((place) => place ?? [null, null]);
  return encodeCursor([dayOf(at), await markOf(places, log), ...values], binding);
}

/**
 * @param views how many places it must hold
 * @throws {StoreUnavailable}
 */
export async function readChangeCursor(
  cursor: string,
  binding: CursorBinding,
  views: number,
  at: string,
  log: Log,
): Promise<{ readonly ok: true; readonly places: readonly Place[] } | Refused> {
  const [day, mark, ...values] = decodeCursor(cursor, binding) ?? [];
  if (typeof day !== 'number' || values.length !== 2 * views) return invalidCursor();
  if (dayOf(at) - day > GOOD_FOR_DAYS) return EXPIRED;
  const found = Array.from({ length: views }, (_, view) => placeOf(values.slice(2 * view)));
  const places = found.filter((place) => place !== undefined);
  if (places.length < views) return invalidCursor();
  if (places.every((place) => place === null)) return { ok: true, places };
  return mark !== null && mark === (await markOf(places, log)) ? { ok: true, places } : OF_ANOTHER_LOG;
}

function placeOf([position, key]: Keyset): Place | undefined {
  if (position === null && key === null) return null;
  return typeof position === 'string' && typeof key === 'string' ? [position, key] : undefined;
}

/** Of the last event of the places; null where the log has none there. */
async function markOf(places: readonly Place[], log: Log): Promise<string | null> {
  const last = places
    .flatMap((place) => place?.[0] ?? [])
    .toSorted()
    .at(-1);
  const id = last !== undefined && log.knows(last) ? await log.marks.eventIdAt(last) : null;
  return id?.slice(-MARK_CHARS) ?? null;
}

const EXPIRED = refuse(
  'cursor_expired',
  `This cursor is more than ${GOOD_FOR_DAYS} days old: begin without after, into an empty mirror.`,
);
const OF_ANOTHER_LOG = refuse(
  'cursor_expired',
  'The market has been moved or set back since this cursor was made: begin without after, into an empty mirror.',
);

/**
 * How long rows can be read that their source lists no more. They stay in their view after that, since they may return,
 * and mirrors are told of them: only what their source said is no longer shown. It is counted in whole days of UTC, so
 * that lists are the same all day.
 */

/** After the day on which it was retired. */
export const RETIRED_SHOWN_DAYS = 90;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Beyond every date. */
const FOR_EVER = 3_000_000;

interface Retirable {
  readonly status: 'listed' | 'retired';
  readonly updatedAt: string;
}

/** The day of a time, counted from 1970. */
export function dayOf(at: string): number {
  return Math.floor(Date.parse(at) / DAY_MS);
}

/** The last day on which the row can be read. */
export function shownUntilDay({ status, updatedAt }: Retirable): number {
  return status === 'listed' ? FOR_EVER : dayOf(updatedAt) + RETIRED_SHOWN_DAYS;
}

/** Whether the row can be read at this time. */
export function isShown(row: Retirable, at: string): boolean {
  return shownUntilDay(row) >= dayOf(at);
}

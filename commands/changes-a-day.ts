/** How often something was changed in 24 hours, and when there is room for one more. */

/**
 * Changes that an account makes to a key or an endpoint are carried by no snapshot: whoever shows it reads each of them
 * again. So many in 24 hours bound how fast its stream grows.
 */
export const MAX_CHANGES_A_DAY = 100;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** When it was changed in the day up to its last change, the earliest first. */
export type RecentChanges = readonly string[];

export function withChange(changedAt: RecentChanges, at: string): RecentChanges {
  return [...changesOfDay(changedAt, at), at].slice(-MAX_CHANGES_A_DAY);
}

export interface TooManyChanges {
  readonly kind: 'too_many_changes';
  /** When there is room for one more. */
  readonly until: string;
}

/** Null where there is room for one more. */
export function tooManyChanges(changedAt: RecentChanges, at: string): TooManyChanges | null {
  const until = freeAgainAt(changedAt, MAX_CHANGES_A_DAY, at);
  return until === null ? null : { kind: 'too_many_changes', until };
}

/** When there is room for one more of so many in 24 hours; null where there is now. */
export function freeAgainAt(changedAt: RecentChanges, limit: number, at: string): string | null {
  const blocking = changesOfDay(changedAt, at).at(-limit);
  return blocking === undefined ? null : new Date(Date.parse(blocking) + DAY_MS).toISOString();
}

export function changesOfDay(changedAt: RecentChanges, at: string): RecentChanges {
  const since = new Date(Date.parse(at) - DAY_MS).toISOString();
  return changedAt.filter((earlier) => earlier > since);
}

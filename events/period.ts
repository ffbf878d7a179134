/** A spending period: a calendar month in UTC, written `2026-11`. It ends where the next one begins. */
import { z } from 'zod';

export const periodSchema = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-11');

/** The period that the instant `at` (RFC 3339, UTC) belongs to. No time zone of the machine takes part in it. */
export function periodOf(at: string): string {
  return (isInUtc(at) ? at : new Date(at).toISOString()).slice(0, 7);
}

/** Where the next one begins, Unix milliseconds. */
export function endOfPeriodMs(period: string): number {
  return Date.UTC(yearOf(period), monthOf(period));
}

/** How long the month is. */
export function secondsOfPeriod(period: string): number {
  return (endOfPeriodMs(period) - Date.UTC(yearOf(period), monthOf(period) - 1)) / 1_000;
}

/** The period that an instant belongs to, given as Unix milliseconds. */
export function periodAt(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}

function yearOf(period: string): number {
  return Number(period.slice(0, 4));
}

/** From 1 to 12. */
function monthOf(period: string): number {
  return Number(period.slice(5));
}

/** As this program writes every instant. */
function isInUtc(at: string): boolean {
  return at.length === '2026-11-27T09:30:00.000Z'.length && at.endsWith('Z');
}

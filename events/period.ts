/** A spending period: a calendar month in UTC, written `2026-11`. It ends where the next one begins. */
import { z } from 'zod';

export const periodSchema = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-11');

/** The period that the instant `at` (RFC 3339, UTC) belongs to. No time zone of the machine takes part in it. */
export function periodOf(at: string): string {
  return (isInUtc(at) ? at : new Date(at).toISOString()).slice(0, 7);
}

/** Where the next one begins, Unix milliseconds. */
export function endOfPeriodMs(period: string): number {
  return boundsOf(period).endMs;
}

/** How long the month is. */
export function secondsOfPeriod(period: string): number {
  const { startMs, endMs } = boundsOf(period);
  return (endMs - startMs) / 1_000;
}

let last = { period: '', startMs: 0, endMs: 0 };

function boundsOf(period: string): Omit<typeof last, 'period'> {
  // Hardly anybody asks for another than the one that is running.
  if (period === last.period) return last;
  const [year = 0, month = 0] = period.split('-').map(Number);
  last = { period, startMs: Date.UTC(year, month - 1), endMs: Date.UTC(year, month) };
  return last;
}

/** As this program writes every instant. */
function isInUtc(at: string): boolean {
  return at.length === '2026-11-27T09:30:00.000Z'.length && at.endsWith('Z');
}

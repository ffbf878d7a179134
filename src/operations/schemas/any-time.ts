/** Times as callers write them. */
import { z } from 'zod';

const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt ]((?:[01]\d|2[0-3]):[0-5]\d:)(\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Any RFC 3339 time, read as that moment in the one form that events and answers have: UTC, milliseconds. */
export const anyTime = momentFrom(momentOf, 'must be a time such as 2026-12-31T23:59:59Z');

/** The same, or a day alone, which is its first moment in UTC: for people who write files and commands. */
export const dayOrTime = momentFrom(
  (text) => momentOf(DAY.test(text) ? `${text}T00:00:00Z` : text),
  'must be a time such as 2026-12-31 or 2026-12-31T23:59:59Z',
);

function momentFrom(read: (text: string) => string | undefined, message: string) {
  return z.string().transform((text, context) => {
    const moment = read(text);
    if (moment !== undefined) return moment;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

/** How long a moment is in the form that events have: one before the year 0 or after 9999 has no place in it. */
const MOMENT_LENGTH = '2026-11-27T09:30:00.000Z'.length;

/**
 * Undefined where the text is no RFC 3339 time of a day that exists, or one whose year in UTC has not four digits. A
 * leap second is the moment after it.
 */
function momentOf(text: string): string | undefined {
  const [, day = '', minutes = '', seconds = '', fraction = '', zone = ''] = RFC_3339.exec(text) ?? [];
  const isLeap = seconds === '60';
  const ms = Date.parse(
    `${day}T${minutes}${isLeap ? '59' : seconds}${fraction.slice(0, 4)}${zone.toUpperCase()}`,
  );
  if (Number.isNaN(ms) || !isDay(day)) return undefined;
  const moment = new Date(isLeap ? Math.floor(ms / 1_000 + 1) * 1_000 : ms).toISOString();
  return moment.length === MOMENT_LENGTH ? moment : undefined;
}

/** JavaScript takes 30 February for 2 March: a mandate would end on another day than its owner wrote. */
function isDay(day: string): boolean {
  return new Date(`${day}T00:00:00.000Z`).toISOString().startsWith(day);
}

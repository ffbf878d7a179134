/** Texts that people write: bounded, without control characters. They are data everywhere and escaped where shown. */
import { z } from 'zod';

/** One pattern, since the description of the API shows no more than one. */
const ONE_LINE = /^(?:[^\p{Cc}\u2028\u2029\s](?:[^\p{Cc}\u2028\u2029]*[^\p{Cc}\u2028\u2029\s])?)?$/u;

/** One line of 1 to `max` characters, neither led nor trailed by spaces. */
export function line(max: number): z.ZodString {
  return z
    .string()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .regex(ONE_LINE, 'must be one line without control characters that neither begins nor ends with a space');
}

/** What of a text can be told as a {@link line} of at most `max` characters; `otherwise` where that is nothing. */
export function asLine(text: string, max: number, otherwise: string): string {
  const shortened = text
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .trim()
    .slice(0, max)
    // The cut may have gone through a surrogate pair.
    .replace(/[\ud800-\udbff]$/, '');
  return shortened.trim() || otherwise;
}

/** As it was typed, spaces at its ends too, and maybe empty: for what its owner alone gives a meaning. */
export function note(max: number): z.ZodString {
  return z
    .string()
    .max(max, `must have at most ${max} characters`)
    .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'must be one line without control characters');
}

/** Several paragraphs: line feeds and tabs are welcome, other control characters are not. */
export function prose(max: number): z.ZodString {
  return z
    .string()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .regex(/^(?:[^\p{Cc}]|[\n\t])*$/u, 'must not hold control characters other than line feed and tab');
}

/** An https address of at most 2,000 characters: what a page may link to without running it. */
export const webAddress = z
  .url({ protocol: /^https$/, message: 'must be an address that begins with https://' })
  .max(2_000, 'must have at most 2000 characters');

/** The version of a document: whole numbers joined by points, such as 1.4.0. */
export const versionNumber = z
  .string()
  .max(32, 'must have at most 32 characters')
  .regex(/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){1,2}$/, 'must be a version such as 1.4.0');

/** Negative when `a` is the earlier version, 0 when they are equal; a missing last number counts as 0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  for (let place = 0; place < 3; place += 1) {
    const difference = (left?.[place] ?? 0) - (right?.[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

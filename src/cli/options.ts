/** Parsing what is typed: each says what would be right. */
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { actionSchema } from '../../events/mandate-events.ts';
import { cents, slug } from '../../events/common.ts';
import { line } from '../../events/texts.ts';
import { SCOPES } from '../operations/operation.ts';
import { dayOrTime } from '../operations/schemas/any-time.ts';

/** Of every command that can print what it did as JSON. */
export interface JsonOption {
  readonly json?: true;
}

/** A commander parser for one value of a schema. */
export function parsedBy<Output>(schema: z.ZodType<Output>): (text: string) => Output {
  return (text) => {
    const parsed = schema.safeParse(text);
    if (parsed.success) return parsed.data;
    throw new InvalidArgumentError(`It ${parsed.error.issues[0]?.message ?? 'is not valid'}.`);
  };
}

/** A commander parser for one of these names. */
export function oneOf(names: readonly string[]): (text: string) => string {
  return (text) => {
    if (names.includes(text)) return text;
    throw new InvalidArgumentError(`It must be one of ${names.join(', ')}.`);
  };
}

/** A commander parser for at most `most` values separated by commas. */
export function listOf<Output>(schema: z.ZodType<Output>, most: number): (text: string) => Output[] {
  const parse = parsedBy(schema);
  return (text) => {
    const parts = text.split(',');
    if (parts.length > most) throw new InvalidArgumentError(`It must have at most ${most} values.`);
    return parts.map((part) => parse(part.trim()));
  };
}

/** @param what it is of, with a blank before it */
const wholeNumber = (what: string, mostDigits: number) =>
  z
    .string()
    .regex(new RegExp(`^\\d{1,${mostDigits}}$`), `must be a whole number${what}`)
    .transform(Number);

export const centsText = wholeNumber(' of cents', 16).pipe(cents);
export const countText = wholeNumber('', 16).pipe(z.int('must be a whole number').min(0));
export const mebibytesText = wholeNumber(' of MiB', 3).pipe(
  z.int().min(1, 'must be at least 1 MiB').max(64, 'must be at most 64 MiB'),
);
/** At most a week: longer is no rotation. */
export const hoursText = wholeNumber(' of hours', 3).pipe(z.int().max(168, 'must be at most 168 hours'));
export const baseText = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });
export const agencyText = slug;
export const agentText = slug;
export const actionText = actionSchema;
export const scopeText = z.enum(SCOPES, `must be one of ${SCOPES.join(', ')}`);
export const nameText = line(80);

export const momentText = dayOrTime;
export const reasonText = line(500);

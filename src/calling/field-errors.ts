/** What zod finds wrong with an input, in words that say what would be right. */
import type { z } from 'zod';
import type { FieldError } from '../operations/refusals.ts';

type RawIssue = z.core.$ZodRawIssue;

/** A body of our largest size has room for tens of thousands; the answer would be ten times as long as what was asked. */
export const MAX_FIELD_ERRORS = 100;
/** All that is wrong with an input of this size is found in a few milliseconds; a larger one is told its first field errors. */
const MAX_THOROUGH_CHARACTERS = 16_384;

/** Messages that a schema brings itself go before these. */
export const WORDING = { error: wording };
/** What zod's own `validate` sets: lists and objects stop at their first part that is wrong. */
const STOPPING = { ...WORDING, abortEarly: true };

/** Parses as the schema says, and looks for all that is wrong only where that cannot take long. */
export function boundedParse<Output>(
  schema: z.ZodType<Output>,
  input: unknown,
): z.ZodSafeParseResult<Output> {
  const parsed = schema.safeParse(input, STOPPING);
  if (parsed.success || JSON.stringify(input).length > MAX_THOROUGH_CHARACTERS) return parsed;
  return schema.safeParse(input, WORDING);
}

/** One fault for each field, the path joined with dots: `inputs.rows.0`; the first hundred. */
export function fieldErrorsOf(error: z.ZodError): FieldError[] {
  const fieldErrors: FieldError[] = [];
  for (const issue of error.issues) {
    const path = issue.path.map(String);
    if (issue.code !== 'unrecognized_keys')
      fieldErrors.push({ path: path.join('.'), message: issue.message });
    else
      for (const key of issue.keys.slice(0, MAX_FIELD_ERRORS))
        fieldErrors.push({ path: [...path, key].join('.'), message: 'is not a known field' });
    if (fieldErrors.length >= MAX_FIELD_ERRORS) break;
  }
  return fieldErrors.slice(0, MAX_FIELD_ERRORS);
}

function wording(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is required'
        : `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return `must ${bound(issue.origin, 'at least', issue.minimum)}`;
    case 'too_big':
      return `must ${bound(issue.origin, 'at most', issue.maximum)}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'invalid_key':
      return `has a name that ${issue.issues[0]?.message ?? 'does not have the expected form'}`;
    case 'invalid_union':
      return 'does not have the expected form';
    case 'invalid_format':
      return issue.format === 'regex' ? 'does not have the expected form' : `must be a valid ${issue.format}`;
    default:
      return undefined;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

function bound(origin: string, side: 'at least' | 'at most', amount: number | bigint): string {
  const isOne = Number(amount) === 1;
  if (origin === 'string') return `have ${side} ${amount} ${isOne ? 'character' : 'characters'}`;
  if (origin === 'array' || origin === 'set') return `have ${side} ${amount} ${isOne ? 'entry' : 'entries'}`;
  return `be ${side} ${amount}`;
}

/** What zod finds wrong with an input, in words that say what would be right. */
import type { z } from 'zod';
import type { Fault } from '../operations/refusals.ts';

type RawIssue = z.core.$ZodRawIssue;

/** Given to every parse at the edge; messages that a schema brings itself go before it. */
export const WORDING = { error: wording };

/** One fault for each field, the path joined with dots: `inputs.rows.0`. */
export function faultsOf(error: z.ZodError): Fault[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: 'is not a known field' }));
    }
    return [{ path: path.join('.'), message: issue.message }];
  });
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
      return 'has a name that is empty or too long';
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
  if (origin === 'string') return `have ${side} ${amount} characters`;
  if (origin === 'array' || origin === 'set') return `have ${side} ${amount} entries`;
  return `be ${side} ${amount}`;
}

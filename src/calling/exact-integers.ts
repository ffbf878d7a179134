/** JSON.parse changes integers that a double cannot hold, silently. Here they are found, each with its name. */
import type { FieldError } from '../operations/refusals.ts';
import { MAX_FIELD_ERRORS } from './field-errors.ts';

const LONG_DIGITS = /\d{16}/;
/** Strings first, so that digits within them are no numbers. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** With an exponent it is no integer to anybody: 6e23 is meant as the double nearest to it. */
const INTEGER = /^-?\d+(?:\.0+)?$/;
/** Half a character: no text that we take is equal to it. */
const MARK = '\ud800';
const MESSAGE = `must be within ±${Number.MAX_SAFE_INTEGER}: send it as text`;

/**
 * The integers beyond ±(2^53 - 1) in a well-formed JSON text, at most a hundred; the path as in other field errors, such as
 * `inputs.rows.0`. One scan for 16 digits in a row is all that other texts cost.
 */
export function inexactIntegers(text: string): FieldError[] {
  if (!LONG_DIGITS.test(text)) return [];
  const marked = text.replaceAll(STRING_OR_NUMBER, (token) => (isInexact(token) ? `"${MARK}"` : token));
  return marked === text ? [] : pathsOfMarks(JSON.parse(marked)).map((path) => ({ path, message: MESSAGE }));
}

function isInexact(token: string): boolean {
  return INTEGER.test(token) && !Number.isSafeInteger(Number(token));
}

/** Without recursion: the depth is the sender's choice. */
function pathsOfMarks(root: unknown): string[] {
  const found: string[] = [];
  const open: [path: string, value: unknown][] = [['', root]];
  for (let next = open.pop(); next !== undefined && found.length < MAX_FIELD_ERRORS; next = open.pop()) {
    const [path, value] = next;
    if (value === MARK) found.push(path);
    if (value === null || typeof value !== 'object') continue;
    for (const [name, child] of Object.entries(value).reverse())
      open.push([path === '' ? name : `${path}.${name}`, child]);
  }
  return found;
}

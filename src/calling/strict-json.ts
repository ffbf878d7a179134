/**
 * JSON from strangers. Beyond JSON.parse it refuses what two readers could understand differently or what is only ever
 * sent to do harm: a member named twice in one object, `__proto__`, half a character and a number that no double holds
 * (neither has a canonical text, and so no hash), and nesting without measure. Integers that JSON.parse would silently
 * change, since no double holds them, are found with their names.
 */
import { hasHalfCharacter } from '../../events/canonical-json.ts';
import { type FieldError, refuse, type Refused } from '../operations/refusals.ts';
import { MAX_FIELD_ERRORS } from './field-errors.ts';

export const MAX_DEPTH = 64;
/** More than our largest list of the smallest numbers has. To parse a quarter of a megabyte of `[` takes 50 ms. */
export const MAX_VALUES = 40_000;
/** Of one object. 64 KiB of `inputs`, the largest object of any names, have hardly as many; more are slow to look at. */
export const MAX_MEMBERS = 5_000;
const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [ARRAY, ARRAY_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

export type ParsedJson = { readonly ok: true; readonly value: unknown } | Refused;

export function parseStrictJson(text: string): ParsedJson {
  const written = surveyText(text);
  if (written.depth > MAX_DEPTH) return refuse('invalid_json', TOO_DEEP);
  if (written.values > MAX_VALUES)
    return refuse('invalid_json', `The body has more than ${MAX_VALUES} values.`);
  if (written.members > MAX_MEMBERS)
    return refuse('invalid_json', `An object in the body has more than ${MAX_MEMBERS} members.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('invalid_json', 'The body is not well-formed JSON.');
  }
  const surveyed = survey(value);
  if (typeof surveyed === 'string') return refuse('invalid_json', surveyed);
  if (hasHalfCharacter(text)) return refuse('invalid_json', HALF_CHARACTER);
  if (surveyed.members !== written.names)
    return refuse('invalid_json', 'An object in the body names a member twice.');
  return { ok: true, value };
}

/** What is wrong with JSON that somebody else has parsed, as far as its value shows it; null when nothing is. */
export function faultOfParsed(value: unknown): string | null {
  const surveyed = survey(value);
  if (typeof surveyed === 'string') return surveyed;
  return hasHalfCharacter(JSON.stringify(value)) ? HALF_CHARACTER : null;
}

const TOO_DEEP = `The body is nested deeper than ${MAX_DEPTH} levels.`;
const HALF_CHARACTER = 'The body has half a character: a surrogate without its other half.';

/** How many members the objects of `root` have in all, or what is wrong. Without recursion: the depth is the sender's choice. */
function survey(root: unknown): { readonly members: number } | string {
  let members = 0;
  let level = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return TOO_DEEP;
    const below: unknown[] = [];
    for (const value of level) {
      if (value === Infinity || value === -Infinity)
        return 'The body has a number that is too large: at most 1.7976931348623157e308.';
      if (value === null || typeof value !== 'object') continue;
      if (Object.hasOwn(value, '__proto__')) return 'The body has a member named __proto__.';
      const children = Object.values(value);
      if (!Array.isArray(value)) members += children.length;
      for (const child of children) below.push(child);
    }
    level = below;
  }
  return { members };
}

interface Written {
  /** Of members: outside of strings a colon follows each, and no more. */
  readonly names: number;
  /** Of the object that has most. */
  readonly members: number;
  /** At least so many, one after each comma and one in whatever is not empty. */
  readonly values: number;
  readonly depth: number;
}

/** What is to be known of a text before it is parsed; of one that is no JSON it may be anything. */
function surveyText(text: string): Written {
  let [names, values, open, depth, members] = [0, 1, 0, 0, 0];
  /** Of the object or list that is open at each depth. */
  const membersAt = [0];
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) isInString = !isInString;
    else if (isInString) {
      if (character === BACKSLASH) at += 1;
    } else if (character === COLON) {
      names += 1;
      const count = (membersAt[open] ?? 0) + 1;
      membersAt[open] = count;
      if (count > members) members = count;
    } else if (character === COMMA) values += 1;
    else if (character === ARRAY || character === OBJECT) {
      values += 1;
      open += 1;
      membersAt[open] = 0;
      if (open > depth) depth = open;
      // What follows would not be looked at.
      if (depth > MAX_DEPTH) break;
    } else if ((character === ARRAY_END || character === OBJECT_END) && open > 0) open -= 1;
  }
  return { names, members, values, depth };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

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

/**
 * JSON from strangers. Beyond JSON.parse it refuses what two readers could understand differently or what is only ever
 * sent to do harm: a member named twice in one object, `__proto__`, half a character (all halves become one in UTF-8, and
 * so in every hash), and nesting without measure.
 */
import { refuse, type Refusal } from '../operations/refusals.ts';

const MAX_DEPTH = 64;
const HALF_ESCAPED = /\\u[dD][89a-fA-F]/;
const BACKSLASH_OR_PAIR = /\\\\|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/g;
const STRING_OR_NAME = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly refusal: Refusal };

export function parseStrictJson(text: string): ParsedJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('invalid_json', 'The body is not well-formed JSON.');
  }
  const members = survey(value);
  if (members === 'too deep')
    return refuse('invalid_json', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  if (members === '__proto__') return refuse('invalid_json', 'The body has a member named __proto__.');
  if (HALF_ESCAPED.test(text) && HALF_ESCAPED.test(text.replaceAll(BACKSLASH_OR_PAIR, ' ')))
    return refuse('invalid_json', 'The body has half a character: a surrogate without its other half.');
  if (members !== namesWritten(text))
    return refuse('invalid_json', 'An object in the body names a member twice.');
  return { ok: true, value };
}

/** How many members the objects of `root` have in all. Without recursion: the depth is the sender's choice. */
function survey(root: unknown): number | 'too deep' | '__proto__' {
  let members = 0;
  let level = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return 'too deep';
    const below: unknown[] = [];
    for (const value of level) {
      if (value === null || typeof value !== 'object') continue;
      if (Object.hasOwn(value, '__proto__')) return '__proto__';
      const children = Object.values(value);
      if (!Array.isArray(value)) members += children.length;
      for (const child of children) below.push(child);
    }
    level = below;
  }
  return members;
}

/** How many member names stand in a text that is known to be JSON: every quote in it begins or ends a string. */
function namesWritten(text: string): number {
  let names = 0;
  for (const found of text.matchAll(STRING_OR_NAME)) if (found[1] !== undefined) names += 1;
  return names;
}

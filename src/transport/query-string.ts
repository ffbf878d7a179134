/** The query of an address as named values; each name once, but for lists. */
import type { FieldError } from '../operations/refusals.ts';

export interface ParsedQuery {
  readonly values: ReadonlyMap<string, string>;
  readonly fieldErrors: readonly FieldError[];
}

const EMPTY: ParsedQuery = { values: new Map(), fieldErrors: [] };

/**
 * `query` is what stands after the question mark. The values of a list that is given as `a=1&a=2`, as many clients
 * write lists, are joined by commas.
 */
export function parseQuery(query: string, isList: (name: string) => boolean = () => false): ParsedQuery {
  if (query === '') return EMPTY;
  const values = new Map<string, string>();
  const fieldErrors: FieldError[] = [];
  const repeated = new Set<string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1));
    if (name === undefined || value === undefined) {
      fieldErrors.push({ path: name ?? '', message: 'is not validly percent-encoded' });
      continue;
    }
    const before = values.get(name);
    if (before === undefined) values.set(name, value);
    else if (isList(name)) values.set(name, `${before},${value}`);
    else repeated.add(name);
  }
  for (const path of repeated) fieldErrors.push({ path, message: 'is given more than once' });
  return { values, fieldErrors };
}

function decode(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

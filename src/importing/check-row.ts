/** What every row must keep to, whatever its source says. */
import { hasHalfCharacter, orderedJson } from '../../events/canonical-json.ts';

const MAX_FIELDS = 200;
const MAX_DEPTH = 16;

export type CheckedRow = { readonly json: string } | { readonly refusal: string };

/** The canonical JSON of the fields, by which rows are compared, or why they cannot be taken. */
export function checkRow(fields: Readonly<Record<string, unknown>>): CheckedRow {
  const names = Object.keys(fields);
  if (names.length > MAX_FIELDS) return { refusal: `it has more than ${MAX_FIELDS} fields` };
  // A member of this name would be lost wherever it is copied.
  if (names.includes('__proto__')) return { refusal: 'a field may not be named __proto__' };
  if (names.some((name) => isTooDeep(fields[name], MAX_DEPTH)))
    return { refusal: `it is nested more than ${MAX_DEPTH} levels deep` };
  const json = orderedJson(fields);
  if (hasHalfCharacter(json)) return { refusal: 'it holds half a surrogate pair, which is no character' };
  return { json };
}

function isTooDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isTooDeep(member, levels - 1));
}

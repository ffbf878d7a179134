/** What every row must keep to, whatever its source says. */
import { hash } from 'node:crypto';
import { hasHalfCharacter, orderedJson } from '../../events/canonical-json.ts';

const DIGEST_CHARS = 22;
const MAX_FIELDS = 200;
const MAX_DEPTH = 16;

export type CheckedRow =
  /** By which rows are compared, and what the fields weigh as JSON. */
  { readonly digest: string; readonly bytes: number } | { readonly digest: null; readonly refusal: string };

/** What is to be known of the fields, or why they cannot be taken. */
export function checkRow(fields: Readonly<Record<string, unknown>>): CheckedRow {
  const names = Object.keys(fields);
  if (names.length > MAX_FIELDS) return { digest: null, refusal: `it has more than ${MAX_FIELDS} fields` };
  // A member of this name would be lost wherever it is copied.
  if (names.includes('__proto__')) return { digest: null, refusal: 'a field may not be named __proto__' };
  if (names.some((name) => isTooDeep(fields[name], MAX_DEPTH)))
    return { digest: null, refusal: `it is nested more than ${MAX_DEPTH} levels deep` };
  const json = orderedJson(fields);
  if (hasHalfCharacter(json))
    return { digest: null, refusal: 'it holds half a surrogate pair, which is no character' };
  return { digest: hash('sha256', json, 'base64url').slice(0, DIGEST_CHARS), bytes: Buffer.byteLength(json) };
}

function isTooDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isTooDeep(member, levels - 1));
}

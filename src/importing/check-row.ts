/** What every row must keep to, whatever its source says. */
import { hash } from 'node:crypto';
import { hasHalfCharacter, orderedJson } from '../../events/canonical-json.ts';
import { MAX_FIELDS } from './source-row.ts';

const DIGEST_CHARS = 22;
const MAX_DEPTH = 16;
const MAX_TOLD_CHARS = 100;

export type CheckedRow =
  /** By which rows are compared, and what the fields weigh as JSON. */
  { readonly digest: string; readonly bytes: number } | { readonly digest: null; readonly refusal: string };

/** What is to be known of the fields, or why they cannot be taken. */
export function checkRow(fields: Readonly<Record<string, unknown>>): CheckedRow {
  const names = Object.keys(fields);
  if (names.length > MAX_FIELDS) return { digest: null, refusal: `it has more than ${MAX_FIELDS} fields` };
  // A member of this name would be lost wherever it is copied.
  if (names.includes('__proto__')) return { digest: null, refusal: 'a field may not be named __proto__' };
  for (const name of names) {
    const refusal = refusalOf(fields[name], name, MAX_DEPTH);
    if (refusal !== null) return { digest: null, refusal };
  }
  const json = orderedJson(fields);
  if (hasHalfCharacter(json))
    return { digest: null, refusal: 'it holds half a surrogate pair, which is no character' };
  return { digest: hash('sha256', json, 'base64url').slice(0, DIGEST_CHARS), bytes: Buffer.byteLength(json) };
}

function refusalOf(value: unknown, name: string, levels: number): string | null {
  // JSON.parse makes Infinity of 1e999, and rounds whole numbers beyond 2^53.
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return `${name.slice(0, MAX_TOLD_CHARS)} holds a number beyond 2^53, which would be kept as another`;
  if (typeof value !== 'object' || value === null) return null;
  if (levels === 0) return `it is nested more than ${MAX_DEPTH} levels deep`;
  for (const member of Object.values(value)) {
    const refusal = refusalOf(member, name, levels - 1);
    if (refusal !== null) return refusal;
  }
  return null;
}

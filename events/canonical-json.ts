/**
 * JSON Canonicalization Scheme (RFC 8785): one text for one value, so that a digest can be recomputed anywhere.
 * ECMAScript already prints numbers and strings as the RFC asks; what is left is the order of the names.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalElement).join(',')}]`;
  if (value !== null && typeof value === 'object') return canonicalObject(value);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TypeError('JSON has no NaN or Infinity');
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`JSON has no ${typeof value}`);
  return text;
}

function canonicalElement(value: unknown): string {
  return value === undefined ? 'null' : canonicalJson(value);
}

/** Names sort by UTF-16 code units, which is what sort() compares; absent values are left out, as JSON does. */
function canonicalObject(value: object): string {
  // Any object has members by name.
  const members = value as Readonly<Record<string, unknown>>;
  let text = '';
  // One text that grows: lists of entries and of members cost many times as much, for each event that is hashed.
  for (const name of Object.keys(value).sort()) {
    const member = members[name];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

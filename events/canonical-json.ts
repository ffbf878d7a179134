/**
 * JSON Canonicalization Scheme (RFC 8785): one text for one value, so that a digest can be recomputed anywhere.
 * ECMAScript already prints numbers and strings as the RFC asks; what is left is the order of the names.
 * @throws {TypeError} JSON cannot say it, or it holds half a surrogate pair, for which others would write something else
 */
export function canonicalJson(value: unknown): string {
  const text = orderedJson(value);
  if (hasHalfCharacter(text)) throw new TypeError('half a surrogate pair has no canonical text');
  return text;
}

const HALF_ESCAPED = /\\u[dD][89a-fA-F]/;
const BACKSLASH_OR_PAIR = /\\\\|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/g;

/** Whether a string in this JSON text holds half of a surrogate pair: outside of an escape no UTF-8 can. */
export function hasHalfCharacter(json: string): boolean {
  // Nearly no text has any, which a search for two characters finds out soonest.
  if (!json.includes('\\u')) return false;
  return HALF_ESCAPED.test(json) && HALF_ESCAPED.test(json.replaceAll(BACKSLASH_OR_PAIR, ' '));
}

/** The same for whatever was once stored, halves of characters included. @throws {TypeError} JSON cannot say it */
export function orderedJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError('JSON has no NaN or Infinity');
      return String(value);
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? `[${value.map(orderedElement).join(',')}]` : orderedObject(value);
    default:
      throw new TypeError(`JSON has no ${typeof value}`);
  }
}

/** Nothing in it is written any differently in JSON. */
const PLAIN = /^[ !#-[\]-~]*$/;
/** Ciphertexts of ordinary orders are shorter. */
const MAX_PLAIN_LENGTH = 1_024;

/** Nearly all texts are short and plain: to look is quicker than to ask JSON.stringify, for each event that is hashed. */
function isPlain(text: string): boolean {
  return text.length <= MAX_PLAIN_LENGTH && PLAIN.test(text);
}

function quoted(text: string): string {
  return isPlain(text) ? `"${text}"` : JSON.stringify(text);
}

function orderedElement(value: unknown): string {
  return value === undefined ? 'null' : orderedJson(value);
}

/** Absent values are left out, as JSON does. */
function orderedObject(value: object): string {
  // Any object has members by name.
  const members = value as Readonly<Record<string, unknown>>;
  let text = '';
  // One text that grows by as few pieces as can be, which are kept until it is read: lists of entries cost much more.
  for (const name of namesInOrder(value)) {
    const member = members[name];
    if (member === undefined) continue;
    const label = text === '' ? labelsOf(name).first : labelsOf(name).next;
    if (typeof member === 'string' && isPlain(member)) text += `${label.ofText}${member}"`;
    else text += label.ofOther + orderedJson(member);
  }
  return text === '' ? '{}' : `${text}}`;
}

/** More names than this sort() puts in order sooner. */
const MAX_INSERTED = 24;

/** By UTF-16 code units, which is what both `<` and sort() compare. */
function namesInOrder(value: object): readonly string[] {
  const names = Object.keys(value);
  if (names.length > MAX_INSERTED) return names.sort();
  for (let next = 1; next < names.length; next += 1) {
    const name = names[next] ?? '';
    let at = next;
    for (; at > 0; at -= 1) {
      const before = names[at - 1] ?? '';
      if (before < name) break;
      names[at] = before;
    }
    names[at] = name;
  }
  return names;
}

/** How a name stands before its value: before that of a text with the quote that opens it. */
interface Label {
  readonly ofText: string;
  readonly ofOther: string;
}

/** Those of a name that comes first in its object, and of one that follows another. */
interface Labels {
  readonly first: Label;
  readonly next: Label;
}

const MAX_LABELS = 1_000;
const MAX_LABEL_LENGTH = 128;
const knownLabels = new Map<string, Labels>();

/** There are some dozens of names in all events, and few more in what buyers add. */
function labelsOf(name: string): Labels {
  const known = knownLabels.get(name);
  if (known !== undefined) return known;
  const made = { first: labelAfter('{', name), next: labelAfter(',', name) };
  // Whoever sends long ones would else fill the memory with them.
  if (knownLabels.size < MAX_LABELS && name.length <= MAX_LABEL_LENGTH) knownLabels.set(name, made);
  return made;
}

function labelAfter(before: '{' | ',', name: string): Label {
  const ofOther = `${before}${quoted(name)}:`;
  return { ofText: `${ofOther}"`, ofOther };
}

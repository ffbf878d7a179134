/**
 * The elements of a JSON array as texts, in bounded memory. The array is the document, or its member `data`, which is
 * how the router writes its models.
 */
import { asBuffer, GatheredBytes } from '../ports/gathered-bytes.ts';
import { namesTwice } from './names-twice.ts';
import { CutShort, MAX_ROW_BYTES, UnreadableSource } from './source-row.ts';

/** Null for an element of more than {@link MAX_ROW_BYTES}; `line` is that on which it begins. */
export interface Element {
  readonly line: number;
  readonly bytes: Buffer | null;
}

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
const END_OF_ARRAY = 0x5d;

const BEGINNING = /^(?:\uFEFF)?\s*(?:\[|\{\s*"data"\s*:\s*\[)/;
const MAX_BEGINNING = 1_024;

/** @throws {UnreadableSource} it is no such array, or ends before the array does */
export async function* splitArray(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly Element[], void> {
  let pending: Buffer = Buffer.alloc(0);
  let isInside = false;
  let isOver = false;
  let line = 1;
  // Of the element that is being read.
  let begunAt = -1;
  let begunOnLine = 1;
  let depth = 0;
  let isQuoted = false;
  let isEscaped = false;
  let isDropping = false;
  let isAfterComma = false;
  const rest = restOfDocument();

  for await (const chunk of bytes) {
    if (isOver) {
      rest.add(asBuffer(chunk));
      continue;
    }
    const elements: Element[] = [];
    const all = pending.length === 0 ? asBuffer(chunk) : Buffer.concat([pending, chunk]);
    // What came before was looked at already.
    let at = isInside ? pending.length : 0;
    if (!isInside) {
      const [beginning] = BEGINNING.exec(all.subarray(0, MAX_BEGINNING).toString('utf8')) ?? [];
      if (beginning === undefined) {
        if (all.length >= MAX_BEGINNING) throw notAnArray();
        pending = all;
        continue;
      }
      isInside = true;
      rest.isObject = beginning.includes('{');
      line += beginning.split('\n').length - 1;
      at = Buffer.byteLength(beginning);
    }
    const finish = (end: number): void => {
      const isTooLong = isDropping || end - begunAt > MAX_ROW_BYTES;
      elements.push({ line: begunOnLine, bytes: isTooLong ? null : all.subarray(begunAt, end) });
      begunAt = -1;
      isDropping = false;
    };
    for (; at < all.length; at += 1) {
      const byte = all[at] ?? 0;
      if (byte === LINE_FEED) line += 1;
      if (isQuoted) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isQuoted = false;
        continue;
      }
      if (depth === 0 && (byte === COMMA || byte === END_OF_ARRAY)) {
        if (begunAt !== -1 || isDropping) finish(at);
        else if (byte === COMMA || isAfterComma) throw nothingAtComma(line);
        isAfterComma = byte === COMMA;
        if (isAfterComma) continue;
        isOver = true;
        rest.add(all.subarray(at + 1));
        break;
      }
      if (SPACE.has(byte)) continue;
      if (begunAt === -1 && !isDropping) {
        begunAt = at;
        begunOnLine = line;
      }
      if (byte === QUOTE) isQuoted = true;
      else if (OPENING.has(byte)) depth += 1;
      else if (CLOSING.has(byte)) depth -= 1;
    }
    if (begunAt !== -1 && all.length - begunAt > MAX_ROW_BYTES) isDropping = true;
    pending = begunAt === -1 || isDropping ? Buffer.alloc(0) : all.subarray(begunAt);
    if (begunAt !== -1) begunAt = isDropping ? -1 : 0;
    if (elements.length > 0) yield elements;
  }
  if (!isInside) throw notAnArray();
  if (!isOver) throw new CutShort('it is cut short: its array has no end');
  rest.check();
}

/** More than a router says beside its models; more is not kept. */
const MAX_REST_BYTES = 1_048_576;

/** What stands after the array: nothing, or where the array is a member, other members and the end of the object. */
function restOfDocument() {
  const kept = new GatheredBytes();
  return {
    isObject: false,
    /** @throws {UnreadableSource} it is too long */
    add(bytes: Buffer): void {
      const begins = kept.length > 0 ? 0 : bytes.findIndex((byte) => !SPACE.has(byte));
      if (begins === -1) return;
      if (kept.length + bytes.length - begins > MAX_REST_BYTES)
        throw new UnreadableSource(`its array is followed by more than ${MAX_REST_BYTES / 1_024 ** 2} MiB`);
      kept.add(bytes.subarray(begins));
    },
    /** @throws {UnreadableSource} it is not the end of this one document */
    check(): void {
      const text = kept.take().toString('utf8');
      if (!this.isObject && text === '') return;
      const whole = `{"data":[]${text}`;
      const value = this.isObject ? parsed(whole) : undefined;
      if (value === undefined)
        throw new CutShort('it is cut short or not one document: its array is followed by something else');
      if (namesTwice(whole, value)) throw new UnreadableSource('it names a member twice beside its array');
    },
  };
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function nothingAtComma(line: number): UnreadableSource {
  return new UnreadableSource(`it has a comma beside no row on line ${line}`);
}

function notAnArray(): UnreadableSource {
  return new UnreadableSource('it is no JSON array of rows, nor an object that begins with one named data');
}

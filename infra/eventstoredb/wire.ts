/**
 * The wire format of Protocol Buffers, for the messages that come and go with every event. The client's generated
 * classes keep each of them as lists of lists, and copy its bytes: ten times the work, and more garbage than the event.
 */

const VARINT = 0;
const FIXED_64 = 1;
const DELIMITED = 2;
const FIXED_32 = 5;

/** Reads the fields of one message, one after the other. What it gives of bytes is a view of them, not a copy. */
export class WireReader {
  /** The number of the field that is to be read, or skipped, before `next` is called again. */
  field = 0;
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;
  #type = VARINT;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** Whether there is another field. @throws {RangeError} as all the others: the message is broken */
  next(): boolean {
    if (this.#at > this.#end) throw cutOff();
    if (this.#at === this.#end) return false;
    const tag = this.#varint();
    this.field = tag >>> 3;
    this.#type = tag & 7;
    return true;
  }

  /** In decimal, since it may have more bits than a number of ours. */
  digits(): string {
    this.#expect(VARINT);
    const start = this.#at;
    const value = this.#varint();
    return Number.isSafeInteger(value) ? String(value) : bigDigits(this.#bytes.subarray(start, this.#at));
  }

  bytes(): Buffer {
    const start = this.#beginDelimited();
    return this.#bytes.subarray(start, this.#at);
  }

  text(): string {
    const start = this.#beginDelimited();
    return this.#bytes.toString('utf8', start, this.#at);
  }

  message(): WireReader {
    const start = this.#beginDelimited();
    return new WireReader(this.#bytes, start, this.#at);
  }

  skip(): void {
    switch (this.#type) {
      case VARINT:
        this.#varint();
        return;
      case FIXED_64:
        this.#at += 8;
        return;
      case DELIMITED:
        this.#beginDelimited();
        return;
      case FIXED_32:
        this.#at += 4;
        return;
      default:
        throw new RangeError(`no field is of the type ${this.#type}`);
    }
  }

  /** Where the content begins; the reader stands behind it. */
  #beginDelimited(): number {
    this.#expect(DELIMITED);
    const length = this.#varint();
    const start = this.#at;
    this.#at += length;
    if (this.#at > this.#end) throw cutOff();
    return start;
  }

  #expect(type: number): void {
    if (this.#type !== type) throw new RangeError(`field ${this.field} is of the type ${this.#type}`);
  }

  /** Beyond 2 to the power of 53 not exact. */
  #varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined || this.#at >= this.#end) throw cutOff();
      this.#at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }
}

function cutOff(): RangeError {
  return new RangeError('the message ends too early');
}

function bigDigits(varint: Uint8Array): string {
  return String(varint.reduceRight((value, byte) => (value << 7n) | BigInt(byte & 0x7f), 0n));
}

/** Puts a message together, field by field. */
export class WireWriter {
  /** Numbers stand for themselves as varints. */
  readonly #parts: (number | string | Uint8Array)[] = [];
  #length = 0;

  /** @param value a whole number of ours, not negative */
  number(field: number, value: number): this {
    this.#varint((field << 3) | VARINT);
    this.#varint(value);
    return this;
  }

  bytes(field: number, content: Uint8Array): this {
    this.#begin(field, content.length);
    this.#add(content, content.length);
    return this;
  }

  text(field: number, content: string): this {
    const length = Buffer.byteLength(content);
    this.#begin(field, length);
    this.#add(content, length);
    return this;
  }

  message(field: number, content: WireWriter): this {
    this.#begin(field, content.#length);
    this.#parts.push(...content.#parts);
    this.#length += content.#length;
    return this;
  }

  /** Fields that were put together before. */
  fields(encoded: Buffer): this {
    this.#add(encoded, encoded.length);
    return this;
  }

  finish(): Buffer {
    const bytes = Buffer.allocUnsafe(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      if (typeof part === 'number') at = writeVarint(bytes, at, part);
      else if (typeof part === 'string') at += bytes.write(part, at);
      else {
        bytes.set(part, at);
        at += part.length;
      }
    }
    return bytes;
  }

  #begin(field: number, length: number): void {
    this.#varint((field << 3) | DELIMITED);
    this.#varint(length);
  }

  #varint(value: number): void {
    this.#add(value, lengthOf(value));
  }

  #add(part: number | string | Uint8Array, length: number): void {
    this.#parts.push(part);
    this.#length += length;
  }
}

function lengthOf(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) length += 1;
  return length;
}

/** Gives where it ends. */
function writeVarint(bytes: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) {
    bytes[at] = (rest % 128) | 0x80;
    at += 1;
  }
  bytes[at] = rest;
  return at + 1;
}

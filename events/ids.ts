/**
 * Identifiers: a prefix that names the kind and a UUIDv7 (RFC 9562) in lower-case Crockford base32,
 * for instance `job_01kb3j5m8xe3vb0v6yq4s5t7wz`. They sort by time, and a double click selects one whole.
 */
import { hash, type UUID } from 'node:crypto';
import { z } from 'zod';

export const ID_PREFIXES = {
  account: 'acc',
  apiKey: 'key',
  artifact: 'art',
  delivery: 'dlv',
  event: 'evt',
  import: 'imp',
  job: 'job',
  mandate: 'mdt',
  record: 'rec',
  request: 'req',
  spend: 'spd',
  webhookEndpoint: 'whe',
} as const;
export type IdKind = keyof typeof ID_PREFIXES;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ENCODED_LENGTH = 26;
const UUID_LENGTH = 16;

/**
 * The id of `kind` made at `at` (RFC 3339). Its 74 free bits come from the SHA-256 of `seed`, so that the same
 * seed and time give the same id again: a repeated command or reaction cannot mint a second identity.
 */
export function idFrom(kind: IdKind, at: string, seed: string): string {
  writeTime(at);
  writeSeed(seed);
  return written(kind);
}

/** A fresh id of `kind`: its free bits are those of `random`, a random UUID. Each request has one. */
export function freshId(kind: IdKind, at: string, random: UUID): string {
  writeTime(at);
  // Neither the version nor the variant of the UUID is in these digits.
  writeFree(random.slice(-12) + random.slice(0, 8));
  return written(kind);
}

/** What an id of this kind, or one of these kinds, looks like, for parsing at an edge. */
export function idSchema(kind: IdKind, ...others: readonly IdKind[]): z.ZodString {
  const prefix = ID_PREFIXES[kind];
  const prefixes = [kind, ...others].map((one) => ID_PREFIXES[one]).join('|');
  const pattern = new RegExp(
    `^${others.length === 0 ? prefix : `(${prefixes})`}_[0-7][${ALPHABET}]{${ENCODED_LENGTH - 1}}$`,
  );
  return z.string().regex(pattern, `must be an id such as ${prefix}_01kb3j5m8xe3vb0v6yq4s5t7wz`);
}

/** When the id was made, RFC 3339: what {@link idFrom} was given as `at`. */
export function timeOf(id: string): string {
  const [high = '', low = ''] = uuidOf(id).split('-');
  return new Date(Number.parseInt(high + low, 16)).toISOString();
}

/** The UUID inside an id, in its usual dashed form: what engines that want a UUID are given. */
export function uuidOf(id: string): string {
  const hex = decodeBase32(id.slice(id.indexOf('_') + 1)).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The reverse of {@link uuidOf}. */
export function idFromUuid(kind: IdKind, uuid: string): string {
  return `${ID_PREFIXES[kind]}_${encodeBase32(Buffer.from(uuid.replaceAll('-', ''), 'hex'))}`;
}

/** All prefixes have three letters, and an underscore follows. */
const PREFIX_LENGTH = 4;
const TIME_LENGTH = 10;

/**
 * The id that is being made, as bytes: of texts that are put together V8 keeps the pieces, and each look at the id, by a
 * pattern or a map, would first put them together again.
 */
const making = Buffer.alloc(PREFIX_LENGTH + ENCODED_LENGTH, '_');

function written(kind: IdKind): string {
  const prefix = ID_PREFIXES[kind];
  for (let place = 0; place < prefix.length; place += 1) making[place] = prefix.charCodeAt(place);
  return making.toString('latin1');
}

let lastTime: string | null = null;

/** A UUIDv7's first 48 bits, its Unix milliseconds: ten digits, since the very first digit carries only 3 bits. */
function writeTime(at: string): void {
  // Most ids are made at the time of the one before.
  if (at === lastTime) return;
  let ms = Date.parse(at);
  if (!(ms >= 0 && ms < 2 ** 48)) throw new RangeError(`no UUIDv7 can be made at ${at}`);
  for (let place = PREFIX_LENGTH + TIME_LENGTH - 1; place >= PREFIX_LENGTH; place -= 1) {
    making[place] = digitOf(ms % 32);
    ms = Math.floor(ms / 32);
  }
  lastTime = at;
}

let lastSeed: string | null = null;

function writeSeed(seed: string): void {
  // What a command begins has ids of the command's: several kinds of one seed.
  if (seed === lastSeed) return;
  writeFree(hash('sha256', seed, 'hex').slice(12, 32));
  lastSeed = seed;
}

/** Its other 80 bits, given as hexadecimal digits, with the version (7) and the variant (binary 10) put in their places. */
function writeFree(hex: string): void {
  // Whoever asks for that seed next does not find its digits here any more.
  lastSeed = null;
  writeFourDigits(0, (bitsOf(hex, 0) & 0x0fff3) | 0x70008);
  for (let part = 1; part < 4; part += 1) writeFourDigits(part, bitsOf(hex, 5 * part));
}

/** Five hexadecimal digits, which are 20 bits. */
function bitsOf(hex: string, from: number): number {
  return Number.parseInt(hex.slice(from, from + 5), 16);
}

/** 20 bits, which are four of our digits. */
function writeFourDigits(part: number, bits: number): void {
  const place = PREFIX_LENGTH + TIME_LENGTH + 4 * part;
  making[place] = digitOf(bits >>> 15);
  making[place + 1] = digitOf(bits >>> 10);
  making[place + 2] = digitOf(bits >>> 5);
  making[place + 3] = digitOf(bits);
}

/** The character code of the digit for the lowest 5 bits. */
function digitOf(bits: number): number {
  return ALPHABET.charCodeAt(bits & 31);
}

/** 128 bits as 26 digits of 5; the first digit carries only 3 bits. */
function encodeBase32(bytes: Buffer): string {
  // Into bytes first: a text that grows digit by digit is kept in as many pieces, for as long as the id is.
  const digits = Buffer.allocUnsafe(ENCODED_LENGTH);
  let length = 0;
  let pending = 0;
  let bits = 2;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      length = digits.writeUInt8(digitOf(pending >>> bits), length);
      pending &= (1 << bits) - 1;
    }
  }
  return digits.toString('latin1');
}

function decodeBase32(encoded: string): Buffer {
  const bytes = Buffer.alloc(UUID_LENGTH);
  let length = 0;
  let pending = 0;
  // 26 digits have two bits more than a UUID: the first two are 0.
  let bits = -2;
  for (const digit of encoded) {
    pending = (pending << 5) | ALPHABET.indexOf(digit);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length] = pending >>> bits;
    length += 1;
    pending &= (1 << bits) - 1;
  }
  return bytes;
}

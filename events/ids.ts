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

/**
 * The id of `kind` made at `at` (RFC 3339). Its 74 free bits come from the SHA-256 of `seed`, so that the same
 * seed and time give the same id again: a repeated command or reaction cannot mint a second identity.
 */
export function idFrom(kind: IdKind, at: string, seed: string): string {
  return `${ID_PREFIXES[kind]}_${timeDigits(at)}${seedDigits(seed)}`;
}

/** A fresh id of `kind`: its free bits are those of `random`, a random UUID. Each request has one. */
export function freshId(kind: IdKind, at: string, random: UUID): string {
  // Neither the version nor the variant of the UUID is in these digits.
  return `${ID_PREFIXES[kind]}_${timeDigits(at)}${freeDigits(random.slice(-12) + random.slice(0, 8))}`;
}

/** What an id of this kind looks like, for parsing at an edge. */
export function idSchema(kind: IdKind): z.ZodString {
  const prefix = ID_PREFIXES[kind];
  const pattern = new RegExp(`^${prefix}_[0-7][${ALPHABET}]{${ENCODED_LENGTH - 1}}$`);
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

let lastTime: { readonly at: string; readonly digits: string } | null = null;

/** A UUIDv7's first 48 bits, its Unix milliseconds: ten digits, since the very first digit carries only 3 bits. */
function timeDigits(at: string): string {
  // Most ids are made at the time of the one before.
  if (at === lastTime?.at) return lastTime.digits;
  let ms = Date.parse(at);
  if (!(ms >= 0 && ms < 2 ** 48)) throw new RangeError(`no UUIDv7 can be made at ${at}`);
  const digits: string[] = [];
  while (digits.length < 10) {
    digits.unshift(ALPHABET.charAt(ms % 32));
    ms = Math.floor(ms / 32);
  }
  lastTime = { at, digits: digits.join('') };
  return lastTime.digits;
}

let lastSeed: { readonly seed: string; readonly digits: string } | null = null;

function seedDigits(seed: string): string {
  // What a command begins has ids of the command's: several kinds of one seed.
  if (seed !== lastSeed?.seed) {
    lastSeed = { seed, digits: freeDigits(hash('sha256', seed, 'hex').slice(12, 32)) };
  }
  return lastSeed.digits;
}

/** Its other 80 bits, given as hexadecimal digits, with the version (7) and the variant (binary 10) put in their places. */
function freeDigits(hex: string): string {
  const first = (bitsOf(hex, 0) & 0x0fff3) | 0x70008;
  return `${fourDigits(first)}${fourDigits(bitsOf(hex, 5))}${fourDigits(bitsOf(hex, 10))}${fourDigits(bitsOf(hex, 15))}`;
}

/** Five hexadecimal digits, which are 20 bits. */
function bitsOf(hex: string, from: number): number {
  return Number.parseInt(hex.slice(from, from + 5), 16);
}

/** 20 bits, which are four of our digits. */
function fourDigits(bits: number): string {
  return String.fromCharCode(digitOf(bits >>> 15), digitOf(bits >>> 10), digitOf(bits >>> 5), digitOf(bits));
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
  let value = 0n;
  for (const digit of encoded) value = (value << 5n) | BigInt(ALPHABET.indexOf(digit));
  return Buffer.from(value.toString(16).padStart(32, '0'), 'hex');
}

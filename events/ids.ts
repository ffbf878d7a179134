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
const ENCODED = new RegExp(`^[0-7][${ALPHABET}]{${ENCODED_LENGTH - 1}}$`);

/**
 * The id of `kind` made at `at` (RFC 3339). Its 74 free bits come from the SHA-256 of `seed`, so that the same
 * seed and time give the same id again: a repeated command or reaction cannot mint a second identity.
 */
export function idFrom(kind: IdKind, at: string, seed: string): string {
  return idOf(kind, at, hash('sha256', seed, 'hex').slice(12, 32));
}

/** What {@link idFrom} gives for another kind at the same time from the same seed. */
export function idBeside(kind: IdKind, id: string): string {
  return [ID_PREFIXES[kind], id.slice(id.indexOf('_'))].join('');
}

/** A fresh id of `kind`: its free bits are those of `random`, a random UUID. Each request has one. */
export function freshId(kind: IdKind, at: string, random: UUID): string {
  // Neither the version nor the variant of the UUID is in these digits.
  return idOf(kind, at, random.slice(-12) + random.slice(0, 8));
}

/** A UUIDv7 has 48 bits of Unix milliseconds, then these 80 with the version (7) and the variant (binary 10) put in. */
function idOf(kind: IdKind, at: string, freeHex: string): string {
  const ms = Date.parse(at);
  if (!(ms >= 0 && ms < 2 ** 48)) throw new RangeError(`no UUIDv7 can be made at ${at}`);
  return encoded(kind, ms, (twentyBits(freeHex, 0) & 0x0fff3) | 0x70008, freeHex);
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

/** Whether it is an id of this kind, as the functions here make them. */
export function isIdOf(kind: IdKind, text: string): boolean {
  const prefix = ID_PREFIXES[kind];
  return (
    text[prefix.length] === '_' && text.startsWith(prefix) && ENCODED.test(text.slice(prefix.length + 1))
  );
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
  const hex = uuid.replaceAll('-', '');
  const rest = hex.slice(TIME_HEX);
  return encoded(kind, Number.parseInt(hex.slice(0, TIME_HEX), 16), twentyBits(rest, 0), rest);
}

const TIME_HEX = 12;

/** The two digits for each 10 bits. */
const PAIRS = Array.from(
  { length: 1_024 },
  (_, bits) => ALPHABET.charAt(bits >>> 5) + ALPHABET.charAt(bits & 31),
);

/**
 * The prefix, then 128 bits as 26 digits of 5; the first digit carries only 3 bits.
 * @param first the first 20 bits after the 48 of the time
 * @param rest those 80 bits as 20 hexadecimal digits, of which the first five are not looked at
 */
function encoded(kind: IdKind, timeMs: number, first: number, rest: string): string {
  const [early, late] = [Math.floor(timeMs / 2 ** 30), timeMs % 2 ** 30];
  const [second, third, fourth] = [twentyBits(rest, 5), twentyBits(rest, 10), twentyBits(rest, 15)];
  // Joined, not added: of a text that grows V8 keeps the pieces, for as long as the id is.
  return [
    `${ID_PREFIXES[kind]}_`,
    pairOf(early >>> 10),
    pairOf(early),
    pairOf(late >>> 20),
    pairOf(late >>> 10),
    pairOf(late),
    pairOf(first >>> 10),
    pairOf(first),
    pairOf(second >>> 10),
    pairOf(second),
    pairOf(third >>> 10),
    pairOf(third),
    pairOf(fourth >>> 10),
    pairOf(fourth),
  ].join('');
}

/** Of the lowest 10 bits. */
function pairOf(bits: number): string | undefined {
  return PAIRS[bits & 1_023];
}

/** Five hexadecimal digits. */
function twentyBits(hex: string, from: number): number {
  return Number.parseInt(hex.slice(from, from + 5), 16);
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

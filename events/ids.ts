/**
 * Identifiers: a prefix that names the kind and a UUIDv7 (RFC 9562) in lower-case Crockford base32,
 * for instance `job_01kb3j5m8xe3vb0v6yq4s5t7wz`. They sort by time, and a double click selects one whole.
 */
import { hash } from 'node:crypto';
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
 * Callers that want a fresh id pass a random seed.
 */
export function idFrom(kind: IdKind, at: string, seed: string): string {
  return `${ID_PREFIXES[kind]}_${encodeBase32(uuidV7Bytes(Date.parse(at), seed))}`;
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

function uuidV7Bytes(unixMs: number, seed: string): Buffer {
  const bytes = Buffer.from(hash('sha256', seed, 'hex').slice(0, 32), 'hex');
  bytes.writeUIntBE(unixMs, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes;
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
      length = digits.writeUInt8(ALPHABET.charCodeAt((pending >>> bits) & 31), length);
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

/**
 * The form of an API key: `brs_ak_`, 43 base62 characters of secret, and 6 of CRC-32 over what precedes. A mistyped
 * key is told apart without a look-up, and secret scanners can match the form.
 */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { sha256Hex } from '../../../events/hash-chain.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

/** A new key with 256 bits of randomness. Shown once; only {@link secretHashOf} it is kept. */
export function newApiKey(prefix: string): string {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_LENGTH);
  const head = `${prefix}_ak_${secret}`;
  return head + checksum(head);
}

/** Whether the text has the form of a key of ours, its checksum included. Says nothing about whether it is in use. */
export function isWellFormedApiKey(text: string, prefix: string): boolean {
  const length = `${prefix}_ak_`.length + SECRET_LENGTH + CHECKSUM_LENGTH;
  if (text.length !== length || !text.startsWith(`${prefix}_ak_`)) return false;
  const head = text.slice(0, -CHECKSUM_LENGTH);
  return checksum(head) === text.slice(-CHECKSUM_LENGTH);
}

export function secretHashOf(apiKey: string): string {
  return sha256Hex(apiKey);
}

/** The last four characters of the secret itself, by which its owner recognises a key. */
export function hintOf(apiKey: string): string {
  return apiKey.slice(-CHECKSUM_LENGTH - 4, -CHECKSUM_LENGTH);
}

/** Made for each request: with numbers it costs a fifth of what it does with bigints. */
function checksum(text: string): string {
  let digits = '';
  for (let rest = crc32(text); digits.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62))
    digits = BASE62.charAt(rest % 62) + digits;
  return digits;
}

function base62(value: bigint, length: number): string {
  let digits = '';
  for (let rest = value; digits.length < length; rest /= 62n)
    digits = BASE62.charAt(Number(rest % 62n)) + digits;
  return digits;
}

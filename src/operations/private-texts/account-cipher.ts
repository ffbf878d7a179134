/**
 * Encrypts and decrypts with the key of one account: AES-256-GCM with a random nonce. What the text is of is part of what
 * is authenticated, so that no ciphertext can be passed off as that of another account, order or endpoint.
 */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { sha256Hex } from '../../../events/hash-chain.ts';
import type { Encrypted } from '../../../events/private-text.ts';
import { hmacSha256 } from './hmac-sha256.ts';

const ALGORITHM = 'aes-256-gcm';
const FORMAT = 1;
const FORMAT_BYTES = 1;
const KEY_NAME_BYTES = 8;
/** Drawn at random: two of one account coincide with a chance of 2^-33 after 2^32 texts. */
const NONCE_BYTES = 12;
/** So many are drawn at once: each draw costs as much as a third of an encryption. */
const DRAWN_NONCES = 256;
const TAG_BYTES = 16;
const TAG = { authTagLength: TAG_BYTES };
const HEAD_BYTES = FORMAT_BYTES + KEY_NAME_BYTES;

export interface AccountCipher {
  /** @param of what the text belongs to, such as `order spd_…` */
  readonly encrypt: (of: string, text: string) => Encrypted;
  /**
   * Null where another key was used.
   * @throws {Error} it is not what was encrypted for this account and this purpose
   */
  readonly decrypt: (of: string, encrypted: Encrypted) => string | null;
  /** HMAC-SHA-256 of a text, in hexadecimal: a plain hash of a short one gives it away to whoever guesses. */
  readonly digest: (text: string) => string;
}

export function accountCipher(accountId: string, accountKey: Uint8Array): AccountCipher {
  const derived = (purpose: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', accountKey, '', `bourse account key: ${purpose}`, bytes));
  const textKey = createSecretKey(derived('texts', 32));
  const digest = hmacSha256(derived('digests', 32));
  const head = Buffer.concat([Buffer.from([FORMAT]), derived('name', KEY_NAME_BYTES)]);
  return {
    encrypt: (of, text) => encrypt(textKey, head, `${accountId} ${of}`, text),
    decrypt(of, { ciphertext }) {
      const bytes = Buffer.from(ciphertext, 'base64url');
      const isOurs = bytes.subarray(0, HEAD_BYTES).equals(head);
      return isOurs ? decrypt(textKey, `${accountId} ${of}`, bytes) : null;
    },
    digest: (text) => digest(text, 'hex'),
  };
}

function encrypt(key: KeyObject, head: Buffer, context: string, text: string): Encrypted {
  const nonce = freshNonce();
  const cipher = createCipheriv(ALGORITHM, key, nonce, TAG);
  cipher.setAAD(Buffer.from(context));
  const body = cipher.update(text, 'utf8');
  // Of this algorithm nothing is left for the end.
  cipher.final();
  const ciphertext = Buffer.concat([head, nonce, body, cipher.getAuthTag()]).toString('base64url');
  return { ciphertext, digest: sha256Hex(ciphertext) };
}

let drawn = Buffer.alloc(0);
let given = 0;

/** Bytes that were random and are given to nobody else. */
function freshNonce(): Buffer {
  if (given === drawn.length) {
    drawn = randomBytes(DRAWN_NONCES * NONCE_BYTES);
    given = 0;
  }
  given += NONCE_BYTES;
  return drawn.subarray(given - NONCE_BYTES, given);
}

function decrypt(key: KeyObject, context: string, bytes: Buffer): string {
  const nonce = bytes.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, TAG);
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const body = bytes.subarray(HEAD_BYTES + NONCE_BYTES, -TAG_BYTES);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
}

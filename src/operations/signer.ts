/**
 * Signed addresses: whoever holds the link may use it, and nobody can make another. HMAC-SHA-256 over what the link
 * is for (its purpose and subject), so that a signature for one thing opens nothing else.
 */
import { timingSafeEqual } from 'node:crypto';
import { hmacSha256 } from './hmac-sha256.ts';

export type Purpose =
  | 'checkout-pay'
  | 'checkout-cancel'
  | 'record-link'
  | 'artifact'
  | 'record-secret'
  | 'webhook-secret'
  // Of links made before each act had a purpose of its own: verified, never signed again.
  | 'checkout'
  | 'record-webhook';

export interface Signer {
  /** The signature of `subject` for `purpose`: 43 characters that need no escaping in a URL. */
  readonly sign: (purpose: Purpose, subject: string) => string;
  /** Whether `signature` is ours; takes as long for a wrong one as for a right one. */
  readonly verify: (purpose: Purpose, subject: string, signature: string) => boolean;
}

export function createSigner(secret: string): Signer {
  const code = hmacSha256(Buffer.from(secret));
  const sign = (purpose: Purpose, subject: string): string =>
    code(`${purpose}\n${subject}`).toString('base64url');
  return {
    sign,
    verify(purpose, subject, signature) {
      const expected = Buffer.from(sign(purpose, subject));
      const given = Buffer.from(signature);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

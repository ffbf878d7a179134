/**
 * Signed addresses: whoever holds the link may use it, and nobody can make another. HMAC-SHA-256 over what the link
 * is for (its subject) with a key of its purpose, so that a signature for one thing opens nothing else. A signature
 * names the secret that its key comes from, so that the secret can be replaced while links of the old one work on.
 */
import { hkdfSync, timingSafeEqual } from 'node:crypto';
import { hmacSha256 } from './private-texts/hmac-sha256.ts';

const LINK_PURPOSES = ['checkout-pay', 'checkout-cancel', 'record-link', 'artifact'] as const;
export type LinkPurpose = (typeof LINK_PURPOSES)[number];

/** How links of earlier releases were signed: for each act by its purpose, or before that for paying and cancelling alike. */
export type FormerPurpose = 'checkout' | 'record-webhook';

export type SecretPurpose = 'record-secret' | 'webhook-secret';

export interface Signer {
  /** The signature of `subject` for `purpose`: 52 characters that need no escaping in a URL. */
  readonly sign: (purpose: LinkPurpose, subject: string) => string;
  /**
   * Whether `signature` is ours, by the present secret or the one before it; takes as long for a wrong one as for a
   * right one.
   */
  readonly verify: (purpose: LinkPurpose | FormerPurpose, subject: string, signature: string) => boolean;
  /** The secret of `subject` that we share with somebody: by the present secret first, then by the one before it. */
  readonly secretsOf: (purpose: SecretPurpose, subject: string) => Shared;
}

/** 32 bytes each. */
export type Shared = readonly [present: Buffer, ...before: Buffer[]];

const NAME_BYTES = 6;
const KEY_BYTES = 32;

/** @param before the secret that was replaced, whose links are still out in the world */
export function createSigner(secret: string, before?: string): Signer {
  const present = signingKeys(secret);
  const known = before === undefined ? [present] : [present, signingKeys(before)];
  return {
    sign: (purpose, subject) => present.sign(purpose, subject),
    // Every key is tried, so that the time tells nothing of which one it was.
    verify: (purpose, subject, signature) =>
      known.map((keys) => keys.isOurs(purpose, subject, signature)).some(Boolean),
    secretsOf: (purpose, subject) => [
      present.shared(purpose, subject),
      ...known.slice(1).map((keys) => keys.shared(purpose, subject)),
    ],
  };
}

interface SigningKeys {
  readonly sign: (purpose: LinkPurpose, subject: string) => string;
  readonly isOurs: (purpose: LinkPurpose | FormerPurpose, subject: string, signature: string) => boolean;
  readonly shared: (purpose: SecretPurpose, subject: string) => Buffer;
}

/** Everything that follows from one secret, derived once. */
function signingKeys(secret: string): SigningKeys {
  const derived = (purpose: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, '', `bourse signing: ${purpose}`, bytes));
  const name = derived('name', NAME_BYTES).toString('base64url');
  const codes = Object.fromEntries(
    LINK_PURPOSES.map((purpose) => [purpose, hmacSha256(derived(purpose, KEY_BYTES))]),
  );
  const former = hmacSha256(Buffer.from(secret));
  const sign = (purpose: LinkPurpose, subject: string): string =>
    `${name}.${codes[purpose]?.(subject, 'base64url')}`;
  /** Of earlier releases, and of secrets that are shared: by the secret itself, over purpose and subject. */
  const formerCode = (purpose: LinkPurpose | FormerPurpose | SecretPurpose, subject: string): string =>
    former(`${purpose}\n${subject}`, 'base64url');
  return {
    sign,
    isOurs(purpose, subject, signature) {
      const isFormer = !signature.includes('.') || !isLinkPurpose(purpose);
      const expected = isFormer ? formerCode(purpose, subject) : sign(purpose, subject);
      return isSame(expected, signature);
    },
    shared: (purpose, subject) => Buffer.from(formerCode(purpose, subject), 'base64url'),
  };
}

function isLinkPurpose(purpose: string): purpose is LinkPurpose {
  return LINK_PURPOSES.some((known) => known === purpose);
}

function isSame(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}

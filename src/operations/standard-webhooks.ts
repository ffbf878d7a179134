/**
 * Signatures as Standard Webhooks 1.0 has them (standardwebhooks.com): HMAC-SHA-256 over id, time and body, under a
 * secret written `whsec_` and base64. Secrets follow from the service's own: none is stored.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretPurpose, Signer } from './signer.ts';

/** A post this old, or this far ahead, is not taken any more. */
const TOLERANCE_SECONDS = 5 * 60;
const PREFIX = 'whsec_';

export interface SignedHeaders {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
}

/**
 * The secret of `subject`, such as an endpoint, in its `version`; and after it what it was by the signing secret before
 * the present one, which others may still hold.
 */
export function webhookSecrets(
  signer: Signer,
  purpose: SecretPurpose,
  subject: string,
  version: number,
): readonly [present: string, ...before: string[]] {
  const [present, ...before] = signer.secretsOf(purpose, `${subject} ${version}`);
  return [written(present), ...before.map(written)];
}

/** The present one alone. */
export function webhookSecret(...of: Parameters<typeof webhookSecrets>): string {
  return webhookSecrets(...of)[0];
}

function written(secret: Buffer): string {
  return PREFIX + secret.toString('base64');
}

/** One signature for each secret: while secrets change, receivers with either one find theirs. */
export function signatures(
  secrets: readonly string[],
  id: string,
  timestampSeconds: number,
  body: string,
): string {
  return secrets.map((secret) => `v1,${mac(secret, `${id}.${timestampSeconds}.${body}`)}`).join(' ');
}

export function isSigned(
  secret: string,
  { id, timestamp, signature }: SignedHeaders,
  body: string,
  nowSeconds: number,
): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Number(timestamp) - nowSeconds) > TOLERANCE_SECONDS)
    return false;
  const expected = Buffer.from(`v1,${mac(secret, `${id}.${timestamp}.${body}`)}`);
  const given = signature.split(' ').map((one) => Buffer.from(one));
  return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}

function mac(secret: string, text: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return createHmac('sha256', key).update(text).digest('base64');
}

/** Replaces the secret. The one before stops at once, and all earlier ones with it, or works a while longer. */
import { tooManyChanges } from '../changes-a-day.ts';
import { accept, reject } from '../decider.ts';
import { type IssuedKey, type KeyDecision, livingHashes } from './key-state.ts';

export interface RotateApiKey {
  readonly type: 'RotateApiKey';
  readonly secretHash: string;
  readonly hint: string;
  /** Until when the secret in force works beside the new one; null: it stops at once. */
  readonly previousWorksUntil: string | null;
}

/** Whoever rotates more often than this while all secrets still work has lost count of them. */
const MAX_FORMER = 4;

export function rotateKey(
  { secretHash, hint, previousWorksUntil }: RotateApiKey,
  apiKey: IssuedKey,
  at: string,
): KeyDecision {
  const { key, former } = apiKey;
  const over = former.filter(({ worksUntil }) => worksUntil <= at).map((one) => one.secretHash);
  if (previousWorksUntil !== null && former.length - over.length >= MAX_FORMER)
    return reject({ kind: 'too_many_secrets', limit: MAX_FORMER });
  const often = tooManyChanges(apiKey.rotatedAt, at);
  if (often !== null) return reject(often);
  return accept({
    type: 'ApiKeyRotated',
    data: {
      ...key,
      secretHash,
      hint,
      previousSecretHash: key.secretHash,
      previousWorksUntil,
      endedSecretHashes: previousWorksUntil === null ? livingHashes(apiKey) : over,
      isFrozen: apiKey.status === 'frozen',
    },
  });
}

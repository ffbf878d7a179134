/** An API key and its secrets: the one in force, and earlier ones that still work for a while. */
import type { Occurred } from '../../events/event.ts';
import type { KeyFact } from '../../events/key-events.ts';
import { type RecentChanges, type TooManyChanges, withChange } from '../changes-a-day.ts';
import { type Decision, evolveBy, type Evolutions } from '../decider.ts';

type Issued = Extract<KeyFact, { type: 'ApiKeyIssued' }>['data'];

export interface FormerSecret {
  readonly secretHash: string;
  readonly worksUntil: string;
}

export type FrozenBy = Extract<KeyFact, { type: 'ApiKeyFrozen' }>['data']['by'];

export interface IssuedKey {
  readonly status: 'active' | 'frozen' | 'revoked';
  readonly key: Issued;
  /** Who froze it; null while it is not frozen. */
  readonly frozenBy: FrozenBy | null;
  /** Replaced secrets that were given a while longer. */
  readonly former: readonly FormerSecret[];
  readonly amendedAt: RecentChanges;
  /** Apart from those: whoever changes its name all day keeps nobody from ending its secret. */
  readonly rotatedAt: RecentChanges;
}

export type ApiKey = { readonly status: 'absent' } | IssuedKey;

export const noKey: ApiKey = { status: 'absent' };

export type KeyRejection =
  | { readonly kind: 'absent' }
  | { readonly kind: 'issued' }
  | { readonly kind: 'revoked' }
  /** What an operator froze its owner cannot unfreeze. */
  | { readonly kind: 'frozen_by_operator' }
  /** So many secrets work beside each other already. */
  | { readonly kind: 'too_many_secrets'; readonly limit: number }
  | TooManyChanges;

export type KeyDecision = Decision<KeyFact, KeyRejection>;

export function evolveKey(apiKey: ApiKey, event: Occurred<KeyFact>): ApiKey {
  if (event.type === 'ApiKeyIssued')
    return { status: 'active', key: event.data, frozenBy: null, former: [], amendedAt: [], rotatedAt: [] };
  return apiKey.status === 'absent' ? apiKey : evolveBy(evolutions, apiKey, event);
}

const evolutions: Evolutions<IssuedKey, Exclude<KeyFact, { type: 'ApiKeyIssued' }>> = {
  ApiKeyRotated: (apiKey, { data, at }) => {
    return { ...apiKey, ...rotated(apiKey, data), rotatedAt: withChange(apiKey.rotatedAt, at) };
  },
  ApiKeyAmended: (apiKey, { data, at }) => {
    const { secretHashes: _, ...holder } = data;
    return { ...apiKey, key: { ...apiKey.key, ...holder }, amendedAt: withChange(apiKey.amendedAt, at) };
  },
  ApiKeyFrozen: (apiKey, { data }) => ({ ...apiKey, status: 'frozen', frozenBy: data.by }),
  ApiKeyUnfrozen: (apiKey) => ({ ...apiKey, status: 'active', frozenBy: null }),
  ApiKeyRevoked: (apiKey) => ({ ...apiKey, status: 'revoked' }),
};

type Rotated = Extract<KeyFact, { type: 'ApiKeyRotated' }>['data'];

function rotated(
  { key, former }: IssuedKey,
  { secretHash, hint, previousSecretHash, previousWorksUntil, endedSecretHashes }: Rotated,
): Pick<IssuedKey, 'key' | 'former'> {
  const previous =
    previousWorksUntil === null ? [] : [{ secretHash: previousSecretHash, worksUntil: previousWorksUntil }];
  const kept = former.filter((one) => !endedSecretHashes.includes(one.secretHash));
  return { key: { ...key, secretHash, hint }, former: [...kept, ...previous] };
}

/** Of every secret that works, or would again once the key is unfrozen; the one in force first. */
export function livingHashes({ key, former }: IssuedKey): string[] {
  return [key.secretHash, ...former.map(({ secretHash }) => secretHash)];
}

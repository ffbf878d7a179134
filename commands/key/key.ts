/** An API key: issued with its scopes and mandate, its secret replaced when it is rotated, ended when revoked. */
import { accept, assertNever, type Decider, type Decision, reject } from '../decider.ts';
import type { Occurred } from '../../events/event.ts';
import type { KeyFact } from '../../events/key-events.ts';

type Issued = Extract<KeyFact, { type: 'ApiKeyIssued' }>['data'];

export interface IssueApiKey {
  readonly type: 'IssueApiKey';
  readonly key: Issued;
}

export interface RotateApiKey {
  readonly type: 'RotateApiKey';
  readonly secretHash: string;
  readonly hint: string;
}

export interface RevokeApiKey {
  readonly type: 'RevokeApiKey';
  readonly reason: string;
}

export type KeyCommand = IssueApiKey | RotateApiKey | RevokeApiKey;

export type ApiKey =
  | { readonly status: 'absent' }
  | { readonly status: 'active' | 'revoked'; readonly key: Issued };

export type KeyRejection =
  | { readonly kind: 'absent' }
  | { readonly kind: 'issued' }
  | { readonly kind: 'revoked' };

export const keyDecider: Decider<ApiKey, KeyCommand, KeyFact, KeyRejection> = {
  family: 'key',
  initial: { status: 'absent' },
  evolve,
  decide,
};

function evolve(apiKey: ApiKey, event: Occurred<KeyFact>): ApiKey {
  switch (event.type) {
    case 'ApiKeyIssued':
      return { status: 'active', key: event.data };
    case 'ApiKeyRotated':
      return apiKey.status === 'absent' ? apiKey : { ...apiKey, key: withSecret(apiKey.key, event.data) };
    case 'ApiKeyRevoked':
      return apiKey.status === 'absent' ? apiKey : { ...apiKey, status: 'revoked' };
    default:
      return assertNever(event);
  }
}

function decide(command: KeyCommand, apiKey: ApiKey): Decision<KeyFact, KeyRejection> {
  if (command.type === 'IssueApiKey') {
    if (apiKey.status !== 'absent') return reject({ kind: 'issued' });
    return accept({ type: 'ApiKeyIssued', data: command.key });
  }
  if (apiKey.status === 'absent') return reject({ kind: 'absent' });
  return command.type === 'RotateApiKey' ? rotate(command, apiKey) : revoke(command, apiKey);
}

type IssuedKey = Exclude<ApiKey, { status: 'absent' }>;

function rotate(
  { secretHash, hint }: RotateApiKey,
  { status, key }: IssuedKey,
): Decision<KeyFact, KeyRejection> {
  if (status === 'revoked') return reject({ kind: 'revoked' });
  return accept({
    type: 'ApiKeyRotated',
    data: { ...key, secretHash, hint, previousSecretHash: key.secretHash },
  });
}

/** Revoking what is revoked changes nothing. */
function revoke({ reason }: RevokeApiKey, { status, key }: IssuedKey): Decision<KeyFact, KeyRejection> {
  if (status === 'revoked') return accept();
  const { keyId, mandateId, secretHash } = key;
  return accept({ type: 'ApiKeyRevoked', data: { keyId, mandateId, secretHash, reason } });
}

function withSecret(key: Issued, { secretHash, hint }: Pick<Issued, 'secretHash' | 'hint'>): Issued {
  return { ...key, secretHash, hint };
}

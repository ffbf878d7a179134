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
      return apiKey.status === 'absent' ? apiKey : { ...apiKey, key: { ...apiKey.key, ...event.data } };
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
  return command.type === 'RotateApiKey' ? rotate(command, apiKey.status) : revoke(command, apiKey.status);
}

function rotate(
  { secretHash, hint }: RotateApiKey,
  status: 'active' | 'revoked',
): Decision<KeyFact, KeyRejection> {
  if (status === 'revoked') return reject({ kind: 'revoked' });
  return accept({ type: 'ApiKeyRotated', data: { secretHash, hint } });
}

/** Revoking what is revoked changes nothing. */
function revoke({ reason }: RevokeApiKey, status: 'active' | 'revoked'): Decision<KeyFact, KeyRejection> {
  return status === 'revoked' ? accept() : accept({ type: 'ApiKeyRevoked', data: { reason } });
}

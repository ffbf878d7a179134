/**
 * An API key: issued with its scopes and mandate, amended, its secret replaced when it is rotated, frozen for a while,
 * ended when revoked.
 */
import { accept, assertNever, type Decider, reject } from '../decider.ts';
import type { KeyFact } from '../../events/key-events.ts';
import { type AmendApiKey, amendKey } from './amend-key.ts';
import { type FreezeApiKey, freezeKey, type UnfreezeApiKey, unfreezeKey } from './freeze-key.ts';
import {
  type ApiKey,
  evolveKey,
  type IssuedKey,
  type KeyDecision,
  type KeyRejection,
  livingHashes,
  noKey,
} from './key-state.ts';
import { type RotateApiKey, rotateKey } from './rotate-key.ts';

export interface IssueApiKey {
  readonly type: 'IssueApiKey';
  readonly key: Extract<KeyFact, { type: 'ApiKeyIssued' }>['data'];
}

export interface RevokeApiKey {
  readonly type: 'RevokeApiKey';
  readonly reason: string;
}

export type KeyCommand =
  | IssueApiKey
  | AmendApiKey
  | RotateApiKey
  | FreezeApiKey
  | UnfreezeApiKey
  | RevokeApiKey;

export const keyDecider: Decider<ApiKey, KeyCommand, KeyFact, KeyRejection> = {
  family: 'key',
  initial: noKey,
  evolve: evolveKey,
  decide,
};

function decide(command: KeyCommand, apiKey: ApiKey, at: string): KeyDecision {
  if (command.type === 'IssueApiKey') {
    if (apiKey.status !== 'absent') return reject({ kind: 'issued' });
    return accept({ type: 'ApiKeyIssued', data: command.key });
  }
  if (apiKey.status === 'absent') return reject({ kind: 'absent' });
  if (command.type === 'RevokeApiKey') return revoke(command, apiKey);
  if (apiKey.status === 'revoked') return reject({ kind: 'revoked' });
  switch (command.type) {
    case 'AmendApiKey':
      return amendKey(command, apiKey, at);
    case 'RotateApiKey':
      return rotateKey(command, apiKey, at);
    case 'FreezeApiKey':
      return freezeKey(command, apiKey);
    case 'UnfreezeApiKey':
      return unfreezeKey(command, apiKey);
    default:
      return assertNever(command);
  }
}

/** Revoking what is revoked changes nothing. */
function revoke({ reason }: RevokeApiKey, apiKey: IssuedKey): KeyDecision {
  if (apiKey.status === 'revoked') return accept();
  const { keyId, mandateId } = apiKey.key;
  const data = { keyId, mandateId, secretHashes: livingHashes(apiKey), reason };
  return accept({ type: 'ApiKeyRevoked', data });
}

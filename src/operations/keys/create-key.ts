/** Makes an API key with its mandate, and the account it belongs to if there is none of that handle yet. */
import { randomUUID } from 'node:crypto';
import { accountDecider } from '../../../commands/account/account.ts';
import { keyDecider } from '../../../commands/key/key.ts';
import { mandateDecider } from '../../../commands/mandate/mandate.ts';
import { freshId } from '../../../events/ids.ts';
import type { MandateTerms } from '../../../events/mandate-events.ts';
import type { CommandCall } from '../../runners/command-call.ts';
import type { Scope } from '../operation.ts';
import { type Refusal, refuse } from '../refusals.ts';
import type { Services } from '../services.ts';
import { hintOf, newApiKey, secretHashOf } from './api-key-secret.ts';

export interface KeyRequest {
  readonly account: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly agency: string | null;
  readonly terms: MandateTerms;
  /** When the key ends; null: it does not. */
  readonly expiresAt?: string | null;
  /** For a key that is to be found again; a fresh id if absent. */
  readonly keyId?: string;
}

export interface CreatedKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly mandateId: string;
  /** The whole key: to be shown once and kept nowhere. */
  readonly key: string;
  /** Where the log stands with it: a view that has reached it knows the key. */
  readonly position: string | null;
}

/** The mandate is granted before the key is issued: a key that works always has its mandate. */
export async function createKey(
  services: Pick<Services, 'commands' | 'keyPrefix'>,
  request: KeyRequest,
  cause: Pick<CommandCall, 'at' | 'actor' | 'requestId'>,
): Promise<
  { readonly ok: true; readonly created: CreatedKey } | { readonly ok: false; readonly refusal: Refusal }
> {
  const { commands, keyPrefix } = services;
  const { account: handle, name, scopes, agency, terms, expiresAt = null } = request;
  const call = (): CommandCall => ({ ...cause, commandId: randomUUID() });
  const id = (kind: 'account' | 'apiKey' | 'mandate'): string => freshId(kind, cause.at, randomUUID());

  const opened = await commands.run(
    accountDecider,
    handle,
    { type: 'OpenAccount', accountId: id('account'), handle },
    call(),
  );
  const status = opened.kind === 'accepted' ? opened.state.status : 'closed';
  if (opened.kind !== 'accepted' || opened.state.status !== 'open')
    return refuse('conflict', `the account ${handle} is ${status}: it gets no new keys`);
  const { accountId } = opened.state;
  const mandateId = id('mandate');
  await commands.run(
    mandateDecider,
    mandateId,
    { type: 'GrantMandate', mandateId, accountId, terms },
    call(),
  );

  const keyId = request.keyId ?? id('apiKey');
  const apiKey = newApiKey(keyPrefix);
  const identity = { keyId, accountId, mandateId, name, scopes: [...scopes], agency, expiresAt };
  const secret = { secretHash: secretHashOf(apiKey), hint: hintOf(apiKey) };
  const issued = await commands.run(
    keyDecider,
    keyId,
    { type: 'IssueApiKey', key: { ...identity, ...secret } },
    call(),
  );
  // Only what was issued is shown: with an id of the caller's, somebody else may have been first.
  if (issued.kind !== 'accepted') return refuse('conflict', `the key ${keyId} was made before`);
  const { position } = issued;
  return { ok: true, created: { accountId, keyId, mandateId, key: apiKey, position } };
}

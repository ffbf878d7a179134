/** Makes an API key with its mandate, and the account it belongs to if there is none of that handle yet. */
import { randomUUID } from 'node:crypto';
import { accountDecider } from '../../../commands/account/account.ts';
import { freshId } from '../../../events/ids.ts';
import type { CommandCall } from '../../commanding/command-call.ts';
import { refuse, type Refused } from '../refusals.ts';
import type { Services } from '../services.ts';
import { issueKey, type NewKey } from './issue-key.ts';

export interface KeyRequest extends Pick<NewKey, 'name' | 'scopes' | 'agency' | 'terms' | 'secret'> {
  readonly account: string;
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

export async function createKey(
  services: Pick<Services, 'commands' | 'keyPrefix'>,
  request: KeyRequest,
  cause: Pick<CommandCall, 'at' | 'actor' | 'requestId'>,
): Promise<{ readonly ok: true; readonly created: CreatedKey } | Refused> {
  const { commands } = services;
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
  const keyId = request.keyId ?? id('apiKey');
  const identity = { keyId, accountId, mandateId, name, scopes, agency, terms, expiresAt };
  const wanted = request.secret === undefined ? identity : { ...identity, secret: request.secret };
  const issued = await issueKey(services, wanted, call);
  if (!issued.ok) return issued;
  const { secret, position } = issued;
  // Its command is a new one: it was not answered before.
  if (secret === null) throw new Error(`${keyId} was made before it was asked for`);
  return { ok: true, created: { accountId, keyId, mandateId, key: secret, position } };
}

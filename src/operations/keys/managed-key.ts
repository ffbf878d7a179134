/** A key of the caller's account, as whoever manages it reads and changes it. */
import type { IssuedKey } from '../../../commands/key/key-state.ts';
import { keyDecider } from '../../../commands/key/key.ts';
import type { GrantedMandate } from '../../../commands/mandate/mandate-state.ts';
import { mandateDecider } from '../../../commands/mandate/mandate.ts';
import { LogContradiction } from '../../../events/event-store.ts';
import { type ApiKeyDocument, apiKeysProjection } from '../../../projections/api-keys.ts';
import { keySecretsProjection } from '../../../projections/key-secrets.ts';
import { streamIdOf } from '../../commanding/command-runner.ts';
import { projectStream } from '../../projecting/project-stream.ts';
import { exampleMandate, describeMandate, mandateSchema } from '../mandates/mandate-schema.ts';
import type { KeyedCall } from '../operation.ts';
import { refuse, type Refused } from '../refusals.ts';
import type { Services } from '../services.ts';
import { unlessShown } from '../unless-shown.ts';
import { SECRETS_PATIENCE_MS } from './freeze-key.ts';
import { describeKey, exampleKey, keySchema } from './key-schema.ts';
import type { z } from 'zod';
import { nullableTextField } from '../../../projections/public-fields.ts';

export const managedKeySchema = keySchema
  .extend({ mandate: mandateSchema })
  .meta({ id: 'ManagedKey', description: 'A key with its mandate and what is left of it.' });
export type ManagedKey = z.output<typeof managedKeySchema>;

export const exampleManagedKey: ManagedKey = { ...exampleKey, mandate: exampleMandate };

export const shownSecret = nullableTextField(
  'The whole key: shown in this answer alone. Null where the request was answered before: if that answer was lost, ' +
    'rotate the key.',
  'brs_ak_9zXkQ2mV7bN4cL1pR8tY5wE3sD6fG0hJ2kM4nB7vC1xZ0aB1cD',
);

export type FoundKey =
  | { readonly ok: true; readonly apiKey: IssuedKey; readonly mandate: GrantedMandate }
  | Refused;

/** A key of another account looks like none. */
export async function managedKey(
  { commands, views }: Pick<Services, 'commands' | 'views'>,
  keyId: string,
  { caller, at }: Pick<KeyedCall, 'caller' | 'at'>,
): Promise<FoundKey> {
  const { state: apiKey } = await commands.load(keyDecider, keyId, at);
  if (apiKey.status === 'absent') await unlessShown(views, apiKeysProjection, keyId);
  if (apiKey.status === 'absent' || apiKey.key.accountId !== caller.accountId)
    return refuse('not_found', `there is no key ${keyId} among yours`);
  const { state: mandate } = await commands.load(mandateDecider, apiKey.key.mandateId, at);
  if (mandate.status === 'absent') throw new LogContradiction(`the mandate of ${keyId} is not there`);
  return { ok: true, apiKey, mandate };
}

/** As it is now. */
export async function showManagedKey(
  services: Pick<Services, 'commands' | 'events'>,
  keyId: string,
  at: string,
): Promise<ManagedKey> {
  const key = await readKey(services, keyId);
  if (key === undefined) throw new LogContradiction(`${keyId} was found and is not there`);
  const { state: mandate } = await services.commands.load(mandateDecider, key.mandateId, at);
  if (mandate.status === 'absent') throw new LogContradiction(`the mandate of ${keyId} is not there`);
  return { ...describeKey(key, at), mandate: describeMandate(mandate, at) };
}

/** Secrets are looked up in a view: whoever is answered is to find the change in force, unless the view is slow. */
export async function secretsReached(
  { projector }: Pick<Services, 'projector'>,
  position: string | null,
): Promise<void> {
  if (position !== null) await projector.reached(keySecretsProjection.name, position, SECRETS_PATIENCE_MS);
}

/** As its own stream has it, never behind what was changed about it; undefined if there is no such key. */
export function readKey(
  { events }: Pick<Services, 'events'>,
  keyId: string,
): Promise<ApiKeyDocument | undefined> {
  return projectStream(events, apiKeysProjection, streamIdOf(keyDecider, keyId), keyId);
}

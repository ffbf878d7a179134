/** The mandate that a key spends under, and the no where there is no such key. */
import { keyDecider } from '../../../commands/key/key.ts';
import { apiKeysProjection } from '../../../projections/api-keys.ts';
import { refuse, type Refused } from '../refusals.ts';
import type { Services } from '../services.ts';
import { unlessShown } from '../unless-shown.ts';

/** Undefined if there is no such key. */
export async function mandateIdOf(
  { commands }: Pick<Services, 'commands'>,
  keyId: string,
  at: string,
): Promise<string | undefined> {
  const { state } = await commands.load(keyDecider, keyId, at);
  return state.status === 'absent' ? undefined : state.key.mandateId;
}

/** To a caller who may know of every key. @throws {LogContradiction} the view of keys shows it */
export async function noSuchKey({ views }: Pick<Services, 'views'>, keyId: string): Promise<Refused> {
  await unlessShown(views, apiKeysProjection, keyId);
  return refuse('not_found', `there is no key ${keyId}`);
}

/** The mandate that a key spends under. */
import { keyDecider } from '../../../commands/key/key.ts';
import type { Services } from '../services.ts';

/** Undefined if there is no such key. */
export async function mandateIdOf(
  { commands }: Pick<Services, 'commands'>,
  keyId: string,
  at: string,
): Promise<string | undefined> {
  const { state } = await commands.load(keyDecider, keyId, at);
  return state.status === 'absent' ? undefined : state.key.mandateId;
}

/** Whose history a caller may read: its own key's with `mandate:read`, another one's with `audit:read`. */
import { keyDecider } from '../../../commands/key/key.ts';
import { idSchema } from '../../../events/ids.ts';
import { apiKeysProjection } from '../../../projections/api-keys.ts';
import type { KeyedCall } from '../operation.ts';
import { refuse, type Refused } from '../refusals.ts';
import { scopeMissing } from '../scope-missing.ts';
import type { Services } from '../services.ts';
import { unlessShown } from '../unless-shown.ts';

/** Which key's mandate is meant; one's own if absent. */
export const auditedKeyInput = idSchema('apiKey').optional().meta({
  description:
    'For auditors (`audit:read`): another key of the account; with `operator:write` too, of any account.',
  example: 'key_01kb3j5m8xe3vb0v6yq4s5t7wx',
});

export async function auditedMandate(
  { commands, views }: Pick<Services, 'commands' | 'views'>,
  keyId: string | undefined,
  { caller, at }: KeyedCall,
): Promise<
  { readonly ok: true; readonly mandateId: string; readonly keyId: string; readonly isOwn: boolean } | Refused
> {
  const scope = keyId === undefined ? 'mandate:read' : 'audit:read';
  if (!caller.scopes.includes(scope)) return scopeMissing(scope, caller);
  if (keyId === undefined) return { ok: true, mandateId: caller.mandateId, keyId: caller.keyId, isOwn: true };
  const { state } = await commands.load(keyDecider, keyId, at);
  if (state.status === 'absent') await unlessShown(views, apiKeysProjection, keyId);
  const isVisible =
    state.status !== 'absent' &&
    (state.key.accountId === caller.accountId || caller.scopes.includes('operator:write'));
  if (!isVisible) return refuse('not_found', `there is no key ${keyId} among yours`);
  return { ok: true, mandateId: state.key.mandateId, keyId, isOwn: false };
}

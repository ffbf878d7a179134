/** What a managing key may give, and setting a share of it aside before it is given. */
import { keyDecider } from '../../../commands/key/key.ts';
import { keyringDecider } from '../../../commands/keyring/keyring.ts';
import type { WantedPowers } from '../../../commands/keyring/excesses.ts';
import { LogContradiction } from '../../../events/event-store.ts';
import type { KeyAllowance } from '../../../events/keyring-events.ts';
import { commandCall, idempotencyMismatch } from '../idempotency.ts';
import { mandateOf } from '../mandates/get-mandate.ts';
import type { KeyedCall } from '../operation.ts';
import { type Detail, refuse, standsAt, type Refused } from '../refusals.ts';
import type { Services } from '../services.ts';

/** Where no operator has set another number. */
export const MAX_KEYS = 100;

/**
 * Sets aside what the key is to have. To be done before it is made, changed or given a new secret: whoever knows its
 * secret has its powers.
 */
export async function allotKey(
  services: Pick<Services, 'commands'>,
  call: KeyedCall,
  keyId: string,
  wanted: WantedPowers,
  agency: string | null,
): Promise<{ readonly ok: true } | Refused> {
  const { accountId, agency: own } = call.caller;
  if (agency !== null && agency !== own)
    return beyond([{ path: 'agency', message: 'must be the agency of the key that asks', value: agency }]);
  const powers = await ownPowers(services, call);
  if (!powers.ok) return powers;
  const command = { type: 'AllotKey', accountId, keyId, wanted, otherwise: powers.allowance } as const;
  const outcome = await services.commands.run(keyringDecider, accountId, command, commandCall(call));
  if (outcome.kind === 'mismatch') return idempotencyMismatch();
  if (outcome.kind !== 'rejected') return { ok: true };
  return beyond(
    outcome.rejection.excesses.map(({ path, limit, value }) => {
      return { path, message: `must be within ${limit || 'nothing'}`, limit, value };
    }),
  );
}

function beyond(details: readonly Detail[]): Refused {
  const [first] = details;
  const what = first === undefined ? '' : `: ${first.path} ${first.message}`;
  return refuse(
    'allowance_exceeded',
    `The key would have more than the account lets its keys give${what}. An operator can allow more.`,
    { details },
  );
}

/**
 * What the key that asks has itself, but for the right to manage keys. A key whose spending was stopped makes and
 * changes none: it would go around the stop.
 */
export async function ownPowers(
  services: Pick<Services, 'commands'>,
  call: KeyedCall,
): Promise<{ readonly ok: true; readonly allowance: KeyAllowance } | Refused> {
  const { keyId, scopes } = call.caller;
  const [{ state: key }, { status, terms }] = await Promise.all([
    services.commands.load(keyDecider, keyId, call.at),
    mandateOf(services, call),
  ]);
  if (key.status === 'absent') throw new LogContradiction(`the key ${keyId} works and is not there`);
  if (status !== 'active')
    return refuse('conflict', `the mandate of this key is ${status}: it makes and changes no keys`, {
      details: standsAt('status', status),
    });
  const given = scopes.filter((scope) => scope !== 'keys:manage');
  const { expiresAt } = key.key;
  return { ok: true, allowance: { scopes: given, terms, expiresAt, maxKeys: MAX_KEYS } };
}

/** Everybody who may ask, in whatever state their key is; those with `data:read` have a plan, but for the stranger. */
import { randomUUID } from 'node:crypto';
import { exampleOf } from '../../events/catalog.ts';
import { freezeAccount } from '../../src/operations/accounts/freeze-account.ts';
import { createKey } from '../../src/operations/keys/create-key.ts';
import { freezeKey } from '../../src/operations/keys/freeze-key.ts';
import { revokeKey } from '../../src/operations/keys/revoke-key.ts';
import { rotateKey } from '../../src/operations/keys/rotate-key.ts';
import { changeMandate } from '../../src/operations/mandates/change-mandate.ts';
import { type Scope, SCOPES } from '../../src/operations/operation.ts';
import { changePlan } from '../../src/operations/plans/change-plan.ts';
import type { TestKey, WantedKey } from '../support/api.ts';
import { type JobApi, now, startJobApi } from '../support/job-flows.ts';
import { grant } from '../support/sample-mandate.ts';

/** An operator may act on what is anybody's. */
const ALL_BUT_OPERATOR = SCOPES.filter((scope) => scope !== 'operator:write');

/** Codes that say that it is the key that is wrong. */
export const ABOUT_KEYS: readonly string[] = ['api_key_missing', 'api_key_invalid', 'scope_missing'];

/** Keys that are sent and do nothing, by how they came to that. */
export type Dead = Readonly<Record<'wrong' | 'revoked' | 'expired' | 'rotated', string>>;

export interface Askers {
  readonly api: JobApi;
  readonly dead: Dead;
  readonly frozen: Readonly<Record<'key' | 'account', string>>;
  readonly suspended: TestKey;
  /** With every scope but the operator's, of another account, and without a plan. */
  readonly stranger: TestKey;
  /** The same with a plan. */
  readonly customer: TestKey;
  readonly otherAgency: TestKey;
  /** A key with this scope and no other. */
  readonly alone: ReadonlyMap<Scope, TestKey>;
}

export async function startAskers(): Promise<Askers> {
  const api = await startJobApi();
  const { services } = api;
  const cause = () => ({ at: now(), actor: 'cli', requestId: 'test', commandId: randomUUID() });

  async function withPlan(account: string): Promise<void> {
    const plan = { type: 'SetPlan', plan: 'enterprise' } as const;
    const set = await changePlan(services, account, plan, cause());
    if (!set.ok) throw new Error(set.refusal.message);
  }
  async function newKey(wanted: WantedKey): Promise<TestKey> {
    const key = await api.newKey(wanted);
    await withPlan(key.accountId);
    return key;
  }

  await api.send('PUT', '/v1/operator/agencies/rival', {
    key: api.operator.key,
    headers: { 'Content-Type': 'application/json' },
    rawBody: JSON.stringify(exampleOf('AgencyRegistered').profile),
  });
  const spare = (): Promise<TestKey> => newKey({ scopes: SCOPES });
  const [revoked, rotated, byKey] = [await spare(), await spare(), await spare()];
  await revokeKey(services, revoked.keyId, 'lost', cause());
  await rotateKey(services, rotated.keyId, cause());
  await freezeKey(services, byKey.keyId, { type: 'FreezeApiKey', by: 'owner', reason: 'odd calls' }, cause());
  // From one moment: were its end counted from an earlier one, it could be over when the key is made.
  const made = cause();
  const ended = await createKey(
    services,
    {
      account: 'ended',
      name: 'Ended',
      scopes: SCOPES,
      agency: null,
      terms: grant({}).terms,
      expiresAt: new Date(Date.parse(made.at) + 1).toISOString(),
    },
    made,
  );
  if (!ended.ok) throw new Error(ended.refusal.message);
  await withPlan('ended');
  const ofFrozen = await newKey({ account: 'to-freeze', scopes: SCOPES });
  await freezeAccount(services, 'to-freeze', { type: 'FreezeAccount', reason: 'odd calls' }, cause());
  const suspended = await newKey({ scopes: SCOPES });
  await changeMandate(services, suspended.keyId, { type: 'SuspendMandate', reason: 'not now' }, cause());
  const alone = new Map<Scope, TestKey>();
  for (const scope of SCOPES) alone.set(scope, await newKey({ scopes: [scope] }));
  const askers = {
    api,
    dead: {
      wrong: `${revoked.key.slice(0, -1)}${revoked.key.endsWith('0') ? '1' : '0'}`,
      revoked: revoked.key,
      expired: ended.created.key,
      rotated: rotated.key,
    },
    frozen: { key: byKey.key, account: ofFrozen.key },
    suspended,
    stranger: await api.newKey({ scopes: ALL_BUT_OPERATOR }),
    customer: await newKey({ scopes: ALL_BUT_OPERATOR }),
    otherAgency: await api.newKey({ scopes: ALL_BUT_OPERATOR, agency: 'rival' }),
    alone,
  };
  await services.projector.caughtUp();
  return askers;
}

/** What a managing key does with the other keys of its account. */
import { z } from 'zod';
import { keyDecider } from '../../../commands/key/key.ts';
import { afterEffect } from '../after-effect.ts';
import { commandCall, idempotencyMismatch } from '../idempotency.ts';
import { reasonInput } from '../jobs/job-schema.ts';
import { amendMandate, type ChangedMandate, changeMandate } from '../mandates/change-mandate.ts';
import { defineOperation, type KeyedCall, type Outcome, type Scope } from '../operation.ts';
import { refuse } from '../refusals.ts';
import type { Services } from '../services.ts';
import { allotKey, ownPowers } from './allot-key.ts';
import { exampleKey, keyIdInput } from './key-schema.ts';
import { knownTo, leftReached } from './left-behind.ts';
import { keyEndInput, keyNameInput, scopesInput, unworkableKey } from './make-key.ts';
import {
  exampleManagedKey,
  type ManagedKey,
  managedKey,
  managedKeySchema,
  secretsReached,
  shownSecret,
  showManagedKey,
} from './managed-key.ts';
import { mandateInput, namedTerms } from './mandate-input.ts';
import { refuseKey } from './refuse-key.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateKey as replaceSecret } from './rotate-key.ts';
import { unworkableBy } from './unworkable.ts';
import { flagField, nullableTextField, textField } from '../../../projections/public-fields.ts';

const shared = { tag: 'keys', kind: 'command', scope: 'keys:manage' } as const;
const MAX_OVERLAP_SECONDS = 7 * 24 * 60 * 60;
const keyId = exampleKey.id;
const byId = { keyId: keyIdInput };
const reason = reasonInput('The laptop that held it was lost.').optional();

export const amendKey = defineOperation({
  ...shared,
  name: 'amendKey',
  summary: 'Change what a key of your account may do, is called, or when it ends.',
  description:
    'What is named is replaced, the rest stays; `null` takes a limit away. What was spent in the month stays counted. ' +
    'The key as it is then is bounded as a new one is, and refused if the change keeps it from working. A key does ' +
    'not change itself.',
  input: z.strictObject({
    ...byId,
    name: keyNameInput.optional(),
    scopes: scopesInput.optional(),
    expiresAt: keyEndInput,
    mandate: mandateInput.optional().meta({ description: 'The terms that change.' }),
  }),
  output: managedKeySchema,
  refusals: ['not_found', 'key_unworkable', 'allowance_exceeded', 'conflict', 'idempotency_mismatch'],
  example: { input: { keyId, mandate: { maxMonthlyCents: 30_000 } }, output: exampleManagedKey },
  async run({ keyId: id, name, scopes, expiresAt, mandate }, call, services) {
    if (id === call.caller.keyId) return refuse('forbidden', 'A key does not change itself.');
    const found = await managedKey(services, id, call);
    if (!found.ok) return found;
    const { key, status } = found.apiKey;
    if (status === 'revoked') return refuseKey(services, id, { kind: 'revoked' });
    const named = namedTerms(mandate ?? {});
    const changes = {
      ...(name === undefined ? {} : { name }),
      ...(scopes === undefined ? {} : { scopes: [...new Set(scopes)] }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
    const wanted = { ...key, ...changes, terms: { ...found.mandate.terms, ...named } };
    const before = { ...key, terms: found.mandate.terms };
    const fieldErrors = await unworkableBy(services, before, wanted, call.at);
    if (fieldErrors.length > 0) return unworkableKey(fieldErrors);
    const allotted = await allotKey(services, call, id, wanted, key.agency);
    if (!allotted.ok) return allotted;
    return afterEffect(amendBoth(services, call, { id, changes, named }));
  },
});

interface Amendment {
  readonly id: string;
  readonly changes: { readonly name?: string; readonly scopes?: Scope[]; readonly expiresAt?: string | null };
  readonly named: ReturnType<typeof namedTerms>;
}

async function amendBoth(
  services: Services,
  call: KeyedCall,
  { id, changes, named }: Amendment,
): Promise<Outcome<ManagedKey>> {
  const command = { type: 'AmendApiKey', changes } as const;
  const amended = await services.commands.run(keyDecider, id, command, commandCall(call));
  if (amended.kind === 'mismatch') return idempotencyMismatch();
  if (amended.kind === 'rejected') return refuseKey(services, id, amended.rejection);
  await secretsReached(services, amended.position);
  if (Object.keys(named).length > 0)
    return answer(services, call, id, await amendMandate(services, id, named, commandCall(call)));
  const data = await showManagedKey(services, id, call.at);
  return { ok: true, data, replayed: amended.kind === 'replayed' };
}

export const rotateKey = defineOperation({
  ...shared,
  name: 'rotateKey',
  summary: 'Give a key of your account, or yours, a new secret.',
  description:
    'The secret before stops at once, and all earlier ones with it, or works beside the new one for `overlapSeconds`. ' +
    'Mandate, counters and idempotency keys stay. Of another key it needs as much as making that key would: whoever ' +
    'has its secret has its powers. A repeated request makes no other secret, and does not show it again.',
  input: z.strictObject({
    ...byId,
    overlapSeconds: z.int().min(0).max(MAX_OVERLAP_SECONDS).default(0).meta({
      description: 'How long the secret before works beside the new one: at most a week.',
      example: 3_600,
    }),
  }),
  output: managedKeySchema
    .extend({
      apiKey: shownSecret,
      previousWorksUntil: nullableTextField(
        'Until when the secret before works; null: it stopped at once.',
        '2026-11-27T10:30:00.000Z',
      ),
    })
    .meta({ id: 'RotatedKey', description: 'A key with its new secret, which is shown once.' }),
  refusals: ['not_found', 'allowance_exceeded', 'conflict', 'idempotency_mismatch'],
  example: {
    input: { keyId, overlapSeconds: 3_600 },
    output: {
      ...exampleManagedKey,
      apiKey: 'brs_ak_9zXkQ2mV7bN4cL1pR8tY5wE3sD6fG0hJ2kM4nB7vC1xZ0aB1cD',
      previousWorksUntil: '2026-11-27T10:30:00.000Z',
    },
  },
  async run({ keyId: id, overlapSeconds }, call, services) {
    const found = await managedKey(services, id, call);
    if (!found.ok) return found;
    const { key, status } = found.apiKey;
    if (status === 'revoked') return refuseKey(services, id, { kind: 'revoked' });
    if (id !== call.caller.keyId) {
      const powers = { scopes: key.scopes, expiresAt: key.expiresAt, terms: found.mandate.terms };
      const allotted = await allotKey(services, call, id, powers, key.agency);
      if (!allotted.ok) return allotted;
    }
    const untilMs = Date.parse(call.at) + overlapSeconds * 1_000;
    const until = overlapSeconds === 0 ? null : new Date(untilMs).toISOString();
    const rotated = await replaceSecret(services, id, commandCall(call), until);
    if (!rotated.ok) return rotated;
    await secretsReached(services, rotated.position);
    const shown = await afterEffect(showManagedKey(services, id, call.at));
    const { key: apiKey, previousWorksUntil } = rotated;
    return { ok: true, data: { ...shown, apiKey, previousWorksUntil }, replayed: apiKey === null };
  },
});

export const suspendKey = defineOperation({
  ...shared,
  name: 'suspendKey',
  summary: 'Refuse every spend of a key of your account until it is resumed.',
  description: 'It still reads, and what it bought goes on.',
  input: z.strictObject({ ...byId, reason }),
  output: managedKeySchema,
  refusals: ['not_found', 'conflict', 'idempotency_mismatch'],
  example: {
    input: { keyId },
    output: { ...exampleManagedKey, mandate: { ...exampleManagedKey.mandate, status: 'suspended' } },
  },
  async run({ keyId: id, reason: why = 'suspended over the API' }, call, services) {
    const found = await managedKey(services, id, call);
    if (!found.ok) return found;
    return answer(
      services,
      call,
      id,
      await changeMandate(services, id, { type: 'SuspendMandate', reason: why }, commandCall(call)),
    );
  },
});

export const resumeKey = defineOperation({
  ...shared,
  name: 'resumeKey',
  summary: 'Let a suspended key of your account spend again.',
  description: 'A key that is suspended itself resumes none.',
  input: z.strictObject(byId),
  output: managedKeySchema,
  refusals: ['not_found', 'conflict', 'idempotency_mismatch'],
  example: { input: { keyId }, output: exampleManagedKey },
  async run({ keyId: id }, call, services) {
    const found = await managedKey(services, id, call);
    if (!found.ok) return found;
    const powers = await ownPowers(services, call);
    if (!powers.ok) return powers;
    return answer(
      services,
      call,
      id,
      await changeMandate(services, id, { type: 'ResumeMandate' }, commandCall(call)),
    );
  },
});

export const revokeOwnKey = defineOperation({
  ...shared,
  name: 'revokeKey',
  summary: 'End a key of your account and its mandate for good.',
  description:
    'Also the key that asks. `left` is what outlives it: revoke or remove what is not yours, and rotate what it was shown. Its jobs say so in `keyId`.',
  input: z.strictObject({ ...byId, reason }),
  output: managedKeySchema
    .extend({
      left: z
        .strictObject({
          keys: z
            .array(
              z.strictObject({
                id: keyIdInput,
                name: textField('What it is for.', 'Procurement agent'),
              }),
            )
            .meta({
              description:
                'Other keys, not revoked, that it made, or was shown a secret of: whoever had it may have them too.',
            }),
          endpoints: z
            .array(
              z.strictObject({
                id: textField('Its id.', 'whe_01kb3j5m8xe3vb0v6yq4s5t7wq'),
                url: textField('Its address.', 'https://buyer.example/hooks'),
              }),
            )
            .meta({
              description: 'Webhook endpoints that it added or redirected, or whose secret it was shown.',
            }),
          knowsNotifySecret: flagField('Whether it was shown the secret of messages to notifyUrl.', false),
        })
        .meta({ description: 'What the key leaves behind.' }),
    })
    .meta({ id: 'RevokedKey', description: 'A key that was revoked, and what it leaves behind.' }),
  refusals: ['not_found', 'idempotency_mismatch'],
  example: {
    input: { keyId, reason: 'The laptop that held it was lost.' },
    output: {
      ...exampleManagedKey,
      status: 'revoked',
      revokedAt: '2026-11-27T09:30:00.000Z',
      left: { keys: [], endpoints: [], knowsNotifySecret: false },
    },
  },
  async run({ keyId: id, reason: why = 'revoked over the API' }, call, services) {
    const found = await managedKey(services, id, call);
    if (!found.ok) return found;
    const revoked = await revokeKey(services, id, why, commandCall(call));
    if (!revoked.ok) return revoked;
    await secretsReached(services, revoked.position);
    await leftReached(services, revoked.position);
    const { keys, endpoints, ...left } = await knownTo(services, id, call.caller.accountId);
    const shown = await afterEffect(showManagedKey(services, id, call.at));
    return {
      ok: true,
      data: { ...shown, left: { ...left, keys: [...keys], endpoints: [...endpoints] } },
      replayed: revoked.replayed,
    };
  },
});

async function answer(
  services: Services,
  call: KeyedCall,
  id: string,
  changed: ChangedMandate,
): Promise<Outcome<ManagedKey>> {
  if (!changed.ok) return changed;
  const data = await afterEffect(showManagedKey(services, id, call.at));
  return { ok: true, data, replayed: !changed.changedNow };
}

import { z } from 'zod';
import { idFrom, timeOf } from '../../../events/ids.ts';
import { line } from '../../../events/texts.ts';
import { afterEffect } from '../after-effect.ts';
import { commandCall } from '../idempotency.ts';
import { defineOperation, type KeyedCall, SCOPES, type Scope } from '../operation.ts';
import { refuse } from '../refusals.ts';
import { anyTime } from '../schemas/any-time.ts';
import type { Services } from '../services.ts';
import { allotKey } from './allot-key.ts';
import { assertIssuable, type IssuedKey, issueKey, type NewKey } from './issue-key.ts';
import {
  exampleManagedKey,
  managedKeySchema,
  secretsReached,
  shownSecret,
  showManagedKey,
} from './managed-key.ts';
import { mandateInput, namedTerms, NOTHING_ALLOWED } from './mandate-input.ts';
import { unworkable } from './unworkable.ts';

export const keyNameInput = line(80).meta({ description: 'What it is for.', example: 'Procurement agent' });

export const scopesInput = z
  .array(z.enum(SCOPES, `must be one of ${SCOPES.join(', ')}`))
  .max(SCOPES.length)
  .meta({ description: 'What it may call.', example: ['trials:create', 'jobs:read'] });

export const keyEndInput = anyTime.nullable().optional().meta({
  description: 'When the key itself ends; null: it does not. Its mandate has an end of its own.',
  example: '2027-01-01T00:00:00.000Z',
});

const exampleInput = {
  name: 'Procurement agent',
  scopes: ['trials:create', 'jobs:read'] satisfies Scope[],
  mandate: { maxPerTransactionCents: 5_000, maxMonthlyCents: 20_000, allowedActions: ['trial:create'] },
};

export const makeKey = defineOperation({
  name: 'createKey',
  summary: 'Make a key for your account.',
  description:
    'It has no more than an operator allows keys of your account that are made here, or where nothing was said, no more ' +
    'than the key that asks: none has a scope, an action or a payee more, and together they have no more in a month ' +
    '(`allowance_exceeded`). Without `mandate` it spends nothing. A key that could never work is refused ' +
    '(`key_unworkable`), such as one with `trials:create` whose mandate does not allow `trial:create`. A repeated request makes no second key, and does not show the secret again.',
  tag: 'keys',
  kind: 'command',
  scope: 'keys:manage',
  input: z.strictObject({
    name: keyNameInput,
    scopes: scopesInput,
    expiresAt: keyEndInput,
    mandate: mandateInput.optional().meta({ description: 'What it may spend.' }),
  }),
  output: managedKeySchema
    .extend({ apiKey: shownSecret })
    .meta({ id: 'MadeKey', description: 'A key with its secret, which is shown once.' }),
  refusals: ['key_unworkable', 'allowance_exceeded', 'conflict', 'idempotency_mismatch'],
  example: {
    input: exampleInput,
    output: {
      ...exampleManagedKey,
      apiKey: 'brs_ak_9zXkQ2mV7bN4cL1pR8tY5wE3sD6fG0hJ2kM4nB7vC1xZ0aB1cD',
    },
  },
  async run({ name, scopes, expiresAt = null, mandate = {} }, call, services) {
    const { accountId, agency: own } = call.caller;
    // Of the account's time, not of now: the same command again must find the streams that it began.
    const id = (kind: 'apiKey' | 'mandate') =>
      idFrom(kind, timeOf(accountId), `${accountId} ${call.commandId}`);
    const agency = scopes.includes('provider:fulfil') ? own : null;
    const terms = { ...NOTHING_ALLOWED, ...namedTerms(mandate) };
    const wanted = { name, scopes: [...new Set(scopes)], agency, terms, expiresAt };
    const fieldErrors = await unworkable(services, wanted, call.at);
    if (fieldErrors.length > 0) return unworkableKey(fieldErrors);
    const key = { ...wanted, keyId: id('apiKey'), mandateId: id('mandate'), accountId };
    const issued = await allotAndIssue(services, call, key);
    if (!issued.ok) return issued;
    await secretsReached(services, issued.position);
    const shown = await afterEffect(showManagedKey(services, key.keyId, call.at));
    return {
      ok: true,
      data: { ...shown, apiKey: issued.secret },
      created: `/keys/${key.keyId}`,
      replayed: issued.secret === null,
    };
  },
});

async function allotAndIssue(services: Services, call: KeyedCall, key: NewKey): Promise<IssuedKey> {
  assertIssuable(key, services.keyPrefix);
  const allotted = await allotKey(services, call, key.keyId, key, key.agency);
  if (!allotted.ok) return allotted;
  return afterEffect(issueKey(services, key, () => commandCall(call)));
}

export function unworkableKey(details: Awaited<ReturnType<typeof unworkable>>) {
  const told = details.map(({ path, message }) => `${path} ${message}`);
  return refuse('key_unworkable', `This key could not work: ${told.join('; ')}.`, { details });
}

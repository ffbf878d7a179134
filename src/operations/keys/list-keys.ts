import { z } from 'zod';
import { type ApiKeyDocument, apiKeysProjection } from '../../../projections/api-keys.ts';
import { cursorField, limitField, listMeta, listOwn } from '../list-page.ts';
import { defineOperation } from '../operation.ts';
import { describeKey, exampleKey, keyIdInput, keySchema } from './key-schema.ts';
import { exampleManagedKey, managedKey, managedKeySchema, showManagedKey } from './managed-key.ts';

const shared = { tag: 'keys', kind: 'query', scope: 'keys:manage' } as const;

export const listKeys = defineOperation({
  ...shared,
  name: 'listKeys',
  summary: 'The keys of your account, the oldest first.',
  description:
    'Revoked ones included, without secrets. What is left of a mandate stands with the single key.',
  input: z.strictObject({ limit: limitField, cursor: cursorField }),
  output: z.array(keySchema),
  meta: listMeta,
  refusals: ['invalid_cursor'],
  example: { input: { limit: 20 }, output: [exampleKey] },
  async run({ limit, cursor }, { caller, at }, services) {
    const filter = { accountId: caller.accountId };
    const question = { view: apiKeysProjection.name, filter, order: 'createdAt', limit, cursor };
    return listOwn(services, question, (key: ApiKeyDocument) => describeKey(key, at));
  },
});

export const getKey = defineOperation({
  ...shared,
  name: 'getKey',
  summary: 'One key of your account, and what is left of its mandate.',
  description:
    'Folded from the events of the key and its mandate, so that it is never behind a change or a spend.',
  input: z.strictObject({ keyId: keyIdInput }),
  output: managedKeySchema,
  refusals: ['not_found'],
  example: { input: { keyId: exampleKey.id }, output: exampleManagedKey },
  async run({ keyId }, call, services) {
    const found = await managedKey(services, keyId, call);
    if (!found.ok) return found;
    return { ok: true, data: await showManagedKey(services, keyId, call.at) };
  },
});

/** Who presents a secret: found by its SHA-256, gone as soon as the key is rotated or revoked. */
import { z } from 'zod';
import type { FactOf } from '../events/event.ts';
import type { keyEvents } from '../events/key-events.ts';
import { defineProjection, touching } from './projection.ts';

const keySecretSchema = z.strictObject({
  keyId: z.string(),
  accountId: z.string(),
  mandateId: z.string(),
  scopes: z.array(z.string()),
  agency: z.string().nullable(),
});
export type KeySecretDocument = z.output<typeof keySecretSchema>;

type Issued = Extract<FactOf<(typeof keyEvents)[number]>, { type: 'ApiKeyIssued' }>['data'];

export const keySecretsProjection = defineProjection<KeySecretDocument>({
  name: 'key-secrets',
  version: 1,
  summary: 'The holder of each secret that works, by the SHA-256 of the secret.',
  schema: keySecretSchema,
  fields: {},
  orders: {},
  index: () => ({}),
  on: {
    ApiKeyIssued: touching(
      ({ data }) => data.secretHash,
      (_holder, { data }) => holderOf(data),
    ),
    ApiKeyRotated: {
      keys: ({ data }) => [data.previousSecretHash, data.secretHash],
      apply: (_holder, { data }, key) => (key === data.secretHash ? holderOf(data) : undefined),
    },
    ApiKeyRevoked: touching(
      ({ data }) => data.secretHash,
      () => undefined,
    ),
  },
});

function holderOf({ keyId, accountId, mandateId, scopes, agency }: Issued): KeySecretDocument {
  return { keyId, accountId, mandateId, scopes, agency };
}

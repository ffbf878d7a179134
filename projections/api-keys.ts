/** The API keys as their owners see them: everything but the secret. */
import { z } from 'zod';
import { beginning, defineProjection, touching } from './projection.ts';

const apiKeySchema = z.strictObject({
  keyId: z.string(),
  accountId: z.string(),
  mandateId: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  agency: z.string().nullable(),
  hint: z.string(),
  createdAt: z.string(),
  rotatedAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
});
export type ApiKeyDocument = z.output<typeof apiKeySchema>;

export const apiKeysProjection = defineProjection<ApiKeyDocument>({
  name: 'api-keys',
  version: 1,
  summary: 'The API keys of every account, revoked ones included.',
  schema: apiKeySchema,
  fields: { accountId: 'text', createdAt: 'text' },
  orders: { createdAt: [{ field: 'createdAt', direction: 'asc' }] },
  index: ({ accountId, createdAt }) => ({ accountId, createdAt }),
  on: {
    ApiKeyIssued: beginning(keyIdOf, ({ data, at }) => {
      const { secretHash: _, ...shown } = data;
      return { ...shown, createdAt: at, rotatedAt: null, revokedAt: null };
    }),
    ApiKeyRotated: touching(
      keyIdOf,
      (key, { data, at }) => key && { ...key, hint: data.hint, rotatedAt: at },
    ),
    ApiKeyRevoked: touching(keyIdOf, (key, { at }) => key && { ...key, revokedAt: at }),
  },
});

function keyIdOf(event: { readonly data: { readonly keyId: string } }): string {
  return event.data.keyId;
}

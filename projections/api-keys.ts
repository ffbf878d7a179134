/** The API keys as their owners see them: everything but the secret. */
import { z } from 'zod';
import { changes, creates, defineProjection } from './projection.ts';

const apiKeySchema = z.strictObject({
  keyId: z.string(),
  accountId: z.string(),
  mandateId: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  agency: z.string().nullable(),
  hint: z.string(),
  expiresAt: z.string().nullable(),
  /** Who made it: `key:key_…`, `cli`, `seed`. */
  madeBy: z.string(),
  /**
   * Who was shown a secret that may work: who made it, and who gave it a new one; those of earlier secrets until all of
   * them are ended at once.
   */
  shownTo: z.array(z.string()),
  createdAt: z.string(),
  rotatedAt: z.string().nullable(),
  frozenAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
});
export type ApiKeyDocument = z.output<typeof apiKeySchema>;

export const apiKeysProjection = defineProjection<ApiKeyDocument>({
  name: 'api-keys',
  version: 3,
  summary: 'The API keys of every account, revoked ones included.',
  schema: apiKeySchema,
  fields: { accountId: 'text', knownTo: 'texts', createdAt: 'text' },
  orders: { createdAt: [{ field: 'createdAt', direction: 'asc' }] },
  index: ({ accountId, createdAt, revokedAt, madeBy, shownTo }) => {
    const knownTo = revokedAt === null ? distinct([madeBy, ...shownTo]) : [];
    return { accountId, knownTo, createdAt };
  },
  on: {
    ApiKeyIssued: creates('keyId', ({ data, at, meta }) => {
      const { secretHash: _, ...shown } = data;
      const nothing = { rotatedAt: null, frozenAt: null, revokedAt: null };
      return { ...shown, madeBy: meta.actor, shownTo: [meta.actor], createdAt: at, ...nothing };
    }),
    ApiKeyRotated: changes('keyId', (key, { data, at, meta }) => ({
      hint: data.hint,
      shownTo: data.previousWorksUntil === null ? [meta.actor] : distinct([...key.shownTo, meta.actor]),
      rotatedAt: at,
    })),
    ApiKeyAmended: changes('keyId', (_, { data: { name, scopes, expiresAt } }) => ({
      name,
      scopes,
      expiresAt,
    })),
    ApiKeyFrozen: changes('keyId', (_, { at }) => ({ frozenAt: at })),
    ApiKeyUnfrozen: changes('keyId', () => ({ frozenAt: null })),
    ApiKeyRevoked: changes('keyId', (_, { at }) => ({ revokedAt: at })),
  },
});

function distinct(actors: readonly string[]): string[] {
  return [...new Set(actors)];
}

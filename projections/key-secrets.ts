/** Who presents a secret: found by its SHA-256, gone as soon as that secret has ended. */
import { z } from 'zod';
import type { FactOf } from '../events/event.ts';
import type { keyEvents } from '../events/key-events.ts';
import { defineProjection, type Handler, on } from './projection.ts';

const keySecretSchema = z.strictObject({
  keyId: z.string(),
  accountId: z.string(),
  mandateId: z.string(),
  scopes: z.array(z.string()),
  agency: z.string().nullable(),
  /** When the key ends. */
  expiresAt: z.string().nullable(),
  /** When this secret of it ends, having been replaced. */
  worksUntil: z.string().nullable(),
  isFrozen: z.boolean(),
});
export type KeySecretDocument = z.output<typeof keySecretSchema>;

type Issued = Extract<FactOf<(typeof keyEvents)[number]>, { type: 'ApiKeyIssued' }>['data'];
type Holder = Omit<Issued, 'secretHash' | 'hint'>;

export const keySecretsProjection = defineProjection<KeySecretDocument>({
  name: 'key-secrets',
  version: 2,
  summary: 'The holder of each secret that works, by the SHA-256 of the secret.',
  schema: keySecretSchema,
  on: {
    ApiKeyIssued: on('secretHash', (_none, { data }) => ({
      ...holderOf(data),
      worksUntil: null,
      isFrozen: false,
    })),
    ApiKeyRotated: {
      keys: ({ data }) => [...new Set([data.secretHash, data.previousSecretHash, ...data.endedSecretHashes])],
      apply(secret, { data }, hash) {
        const { isFrozen } = data;
        if (hash === data.secretHash) return { ...holderOf(data), worksUntil: null, isFrozen };
        if (data.endedSecretHashes.includes(hash)) return undefined;
        return secret && { ...secret, worksUntil: data.previousWorksUntil };
      },
    },
    ApiKeyAmended: ofEach((secret, { data }) => ({ ...secret, ...holderOf(data) })),
    ApiKeyFrozen: ofEach((secret) => ({ ...secret, isFrozen: true })),
    ApiKeyUnfrozen: ofEach((secret) => ({ ...secret, isFrozen: false })),
    ApiKeyRevoked: ofEach(() => undefined),
  },
});

interface OfSecrets {
  readonly data: { readonly secretHashes: readonly string[] };
}

/** Changes the document of each secret that the event names. */
function ofEach<Event extends OfSecrets>(
  apply: (secret: KeySecretDocument, event: Event) => KeySecretDocument | undefined,
): Handler<KeySecretDocument, Event> {
  return {
    keys: ({ data }) => data.secretHashes,
    apply: (secret, event) => secret && apply(secret, event),
  };
}

function holderOf(holder: Holder): Omit<KeySecretDocument, 'worksUntil' | 'isFrozen'> {
  const { keyId, accountId, mandateId, scopes, agency, expiresAt } = holder;
  return { keyId, accountId, mandateId, scopes, agency, expiresAt };
}

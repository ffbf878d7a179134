/** What happens to an API key: one stream `key-{keyId}`. The secret itself is never stored, only its SHA-256. */
import { z } from 'zod';
import { sha256, slug } from './common.ts';
import { defineEvent, type FactOf } from './event.ts';
import { idSchema } from './ids.ts';

const issuedSchema = z.strictObject({
  keyId: idSchema('apiKey'),
  accountId: idSchema('account'),
  mandateId: idSchema('mandate'),
  name: z.string().min(1).max(80),
  scopes: z.array(z.string()).max(16),
  /** The agency that the key acts for, if it is a provider's. */
  agency: slug.nullable(),
  secretHash: sha256,
  /** The last four characters, by which its owner recognises it. */
  hint: z.string().length(4),
});

const exampleKey: z.output<typeof issuedSchema> = {
  keyId: 'key_01kb3j5m8xe3vb0v6yq4s5t7wx',
  accountId: 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy',
  mandateId: 'mdt_01kb3j5m8xe3vb0v6yq4s5t7wz',
  name: 'Procurement agent',
  scopes: ['trials:create', 'jobs:read'],
  agency: null,
  secretHash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  hint: '3fZq',
};

export const keyEvents = [
  defineEvent({
    type: 'ApiKeyIssued',
    version: 1,
    summary:
      'A key was made for an account; whoever presents its secret acts within these scopes and this mandate.',
    data: issuedSchema,
    example: exampleKey,
  }),
  defineEvent({
    type: 'ApiKeyRotated',
    version: 1,
    summary: 'The secret was replaced; the old one stops working at once, the mandate and its counters stay.',
    data: issuedSchema.extend({ previousSecretHash: sha256 }),
    example: {
      ...exampleKey,
      secretHash: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
      hint: 'x91B',
      previousSecretHash: exampleKey.secretHash,
    },
  }),
  defineEvent({
    type: 'ApiKeyRevoked',
    version: 1,
    summary: 'The key stopped working for good.',
    data: z.strictObject({
      keyId: idSchema('apiKey'),
      mandateId: idSchema('mandate'),
      secretHash: sha256,
      reason: z.string().max(500),
    }),
    example: {
      keyId: exampleKey.keyId,
      mandateId: exampleKey.mandateId,
      secretHash: exampleKey.secretHash,
      reason: 'The laptop that held it was lost.',
    },
  }),
] as const;

export type KeyFact = FactOf<(typeof keyEvents)[number]>;

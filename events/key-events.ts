/** What happens to an API key: one stream `key-{keyId}`. The secret itself is never stored, only its SHA-256. */
import { z } from 'zod';
import { sha256, slug, timestamp } from './common.ts';
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
  /** The key does not work any more from then on; null: it has no end. Its mandate has an end of its own. */
  expiresAt: timestamp.nullable(),
});

const { secretHash: _secretHash, hint: _hint, ...holderShape } = issuedSchema.shape;
/** Who a secret acts for. */
const holderSchema = z.strictObject(holderShape);
/** Of every secret of the key that works or might again. */
const secretHashes = z.array(sha256).max(16);

const exampleKey: z.output<typeof issuedSchema> = {
  keyId: 'key_01kb3j5m8xe3vb0v6yq4s5t7wx',
  accountId: 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy',
  mandateId: 'mdt_01kb3j5m8xe3vb0v6yq4s5t7wz',
  name: 'Procurement agent',
  scopes: ['trials:create', 'jobs:read'],
  agency: null,
  secretHash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  hint: '3fZq',
  expiresAt: null,
};
const { secretHash: exampleHash, hint: _exampleHint, ...exampleHolder } = exampleKey;

export const keyEvents = [
  defineEvent({
    type: 'ApiKeyIssued',
    version: 2,
    summary:
      'A key was made for an account; whoever presents its secret acts within these scopes and this mandate.',
    data: issuedSchema,
    example: exampleKey,
  }),
  defineEvent({
    type: 'ApiKeyRotated',
    version: 2,
    summary:
      'The secret was replaced; the one before works until a time, or stops at once with all earlier ones. The mandate ' +
      'and its counters stay.',
    data: issuedSchema.extend({
      previousSecretHash: sha256,
      /** Null: it stopped at once. */
      previousWorksUntil: timestamp.nullable(),
      /** The secrets that stopped working with this rotation. */
      endedSecretHashes: secretHashes,
      /** A frozen key is frozen with its new secret too. */
      isFrozen: z.boolean(),
    }),
    example: {
      ...exampleKey,
      secretHash: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
      hint: 'x91B',
      previousSecretHash: exampleHash,
      previousWorksUntil: '2026-11-28T09:30:00.000Z',
      endedSecretHashes: [],
      isFrozen: false,
    },
  }),
  defineEvent({
    type: 'ApiKeyAmended',
    summary: 'What the key is called, may call, or when it ends was changed; its secrets stay.',
    data: holderSchema.extend({ secretHashes }),
    example: { ...exampleHolder, expiresAt: '2027-01-01T00:00:00.000Z', secretHashes: [exampleHash] },
  }),
  defineEvent({
    type: 'ApiKeyFrozen',
    summary: 'Nothing can be done with the key, nor with the links it made, until it is unfrozen.',
    data: z.strictObject({
      keyId: idSchema('apiKey'),
      secretHashes,
      /** What an operator froze only an operator unfreezes. */
      by: z.enum(['owner', 'operator']),
      reason: z.string().max(500),
    }),
    example: {
      keyId: exampleKey.keyId,
      secretHashes: [exampleHash],
      by: 'owner',
      reason: 'It calls from a network that is not ours.',
    },
  }),
  defineEvent({
    type: 'ApiKeyUnfrozen',
    summary: 'A frozen key works as before.',
    data: z.strictObject({ keyId: idSchema('apiKey'), secretHashes }),
    example: { keyId: exampleKey.keyId, secretHashes: [exampleHash] },
  }),
  defineEvent({
    type: 'ApiKeyRevoked',
    version: 2,
    summary: 'The key stopped working for good.',
    data: z.strictObject({
      keyId: idSchema('apiKey'),
      mandateId: idSchema('mandate'),
      secretHashes,
      reason: z.string().max(500),
    }),
    example: {
      keyId: exampleKey.keyId,
      mandateId: exampleKey.mandateId,
      secretHashes: [exampleHash],
      reason: 'The laptop that held it was lost.',
    },
  }),
] as const;

export type KeyFact = FactOf<(typeof keyEvents)[number]>;

/** What an account lets its keys give to others over the API: one stream `keyring-{accountId}`. */
import { z } from 'zod';
import { cents, timestamp } from './common.ts';
import { defineEvent, type FactOf } from './event.ts';
import { idSchema } from './ids.ts';
import { exampleTerms, termsSchema } from './mandate-events.ts';
import { periodSchema } from './period.ts';

/** The most that keys made over the API may have. */
export const allowanceSchema = z.strictObject({
  scopes: z.array(z.string()).max(16),
  /** Of each key; the caps of a month and the number of its spends bound all those keys together. */
  terms: termsSchema,
  /** No key may end later; null: a key need not end. */
  expiresAt: timestamp.nullable(),
  /** How many such keys there may be that are not revoked. */
  maxKeys: z.int().min(0).max(1_000),
});
export type KeyAllowance = z.output<typeof allowanceSchema>;

const share = {
  maxMonthlyCents: cents,
  /** Null: any number of spends. */
  maxSpendsPerMonth: z.int().min(0).nullable(),
};

/** Every so many events: the whole keyring as it is after this one, so that nothing before has to be read. */
const carried = z.strictObject({
  allowance: allowanceSchema.nullable(),
  shares: z.array(z.strictObject({ keyId: idSchema('apiKey'), ...share })),
  /** What keys had together that were revoked in the last month in which any was; null: none ever was. */
  ended: z.strictObject({ period: periodSchema, ...share }).nullable(),
});
export type CarriedKeyring = z.output<typeof carried>;

const accountId = 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy';
const keyId = 'key_01kb3j5m8xe3vb0v6yq4s5t7wx';

export const keyringEvents = [
  defineEvent({
    type: 'KeyAllowanceSet',
    summary:
      'An operator said what keys that are made over the API may have; without one it is what the key that makes them has itself.',
    data: z.strictObject({
      accountId: idSchema('account'),
      /** Null: as if none had been set. */
      allowance: allowanceSchema.nullable(),
    }),
    example: {
      accountId,
      allowance: {
        scopes: ['trials:create', 'jobs:read'],
        terms: { ...exampleTerms, maxMonthlyCents: 100_000, expiresAt: null },
        expiresAt: null,
        maxKeys: 20,
      },
    },
  }),
  defineEvent({
    type: 'KeyAllotted',
    summary:
      'A part of what the account allows was set aside for a key, before the key was made, changed or given a new secret over the API.',
    data: z.strictObject({
      accountId: idSchema('account'),
      keyId: idSchema('apiKey'),
      /** What counts for this key from now on: the most it was ever given. */
      ...share,
      carried: carried.optional(),
    }),
    example: { accountId, keyId, maxMonthlyCents: 20_000, maxSpendsPerMonth: null },
  }),
  defineEvent({
    type: 'KeyAllotmentEnded',
    summary:
      'The key was revoked: what was set aside for it may be given to others from the next month (UTC) on, and its place at once.',
    data: z.strictObject({
      accountId: idSchema('account'),
      keyId: idSchema('apiKey'),
      carried: carried.optional(),
    }),
    example: { accountId, keyId },
  }),
] as const;

export type KeyringFact = FactOf<(typeof keyringEvents)[number]>;

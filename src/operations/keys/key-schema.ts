/** A key as answers show it: everything but its secret. */
import { z } from 'zod';
import { slug, timestamp } from '../../../events/common.ts';
import { idSchema } from '../../../events/ids.ts';
import type { ApiKeyDocument } from '../../../projections/api-keys.ts';

const exampleTime = '2026-11-27T09:30:00.000Z';

export const keyIdInput = idSchema('apiKey').meta({
  description: 'The id of the key.',
  example: 'key_01kb3j5m8xe3vb0v6yq4s5t7wx',
});

export const keySchema = z
  .strictObject({
    id: keyIdInput,
    status: z.enum(['active', 'frozen', 'expired', 'revoked']).meta({
      description: 'Whether it works. That its mandate is suspended or over stops its spending alone.',
      example: 'active',
    }),
    name: z.string().meta({ description: 'What it is for.', example: 'Procurement agent' }),
    hint: z
      .string()
      .meta({ description: 'The last four characters of its secret in force.', example: '3fZq' }),
    scopes: z
      .array(z.string())
      .meta({ description: 'What it may call.', example: ['trials:create', 'jobs:read'] }),
    agency: slug.nullable().meta({ description: 'The agency that it fulfils jobs for.', example: null }),
    mandateId: idSchema('mandate').meta({
      description: 'The mandate that it spends under.',
      example: 'mdt_01kb3j5m8xe3vb0v6yq4s5t7wz',
    }),
    expiresAt: timestamp
      .nullable()
      .meta({ description: 'When the key itself ends; null: it does not.', example: exampleTime }),
    madeBy: z.string().meta({
      description: 'Who made it: `key:` and the id of a key, `cli`, `seed`.',
      example: 'cli',
    }),
    createdAt: timestamp.meta({ description: 'When it was made.', example: exampleTime }),
    rotatedAt: timestamp
      .nullable()
      .meta({ description: 'When its secret was replaced last.', example: exampleTime }),
    frozenAt: timestamp.nullable().meta({ description: 'Since when it is frozen.', example: exampleTime }),
    revokedAt: timestamp.nullable().meta({ description: 'When it was revoked.', example: exampleTime }),
  })
  .meta({ id: 'Key', description: 'An API key of an account, without its secret.' });
export type KeyAnswer = z.output<typeof keySchema>;

export const exampleKey: KeyAnswer = {
  id: 'key_01kb3j5m8xe3vb0v6yq4s5t7wx',
  status: 'active',
  name: 'Procurement agent',
  hint: '3fZq',
  scopes: ['trials:create', 'jobs:read'],
  agency: null,
  mandateId: 'mdt_01kb3j5m8xe3vb0v6yq4s5t7wz',
  expiresAt: null,
  madeBy: 'cli',
  createdAt: exampleTime,
  rotatedAt: null,
  frozenAt: null,
  revokedAt: null,
};

export function describeKey(key: ApiKeyDocument, at: string): KeyAnswer {
  const { keyId, name, hint, scopes, agency, mandateId, expiresAt, madeBy } = key;
  const { createdAt, rotatedAt, frozenAt, revokedAt } = key;
  return {
    id: keyId,
    status: keyStatus(key, at),
    name,
    hint,
    scopes,
    agency,
    mandateId,
    expiresAt,
    madeBy,
    createdAt,
    rotatedAt,
    frozenAt,
    revokedAt,
  };
}

function keyStatus({ revokedAt, expiresAt, frozenAt }: ApiKeyDocument, at: string): KeyAnswer['status'] {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && expiresAt <= at) return 'expired';
  return frozenAt === null ? 'active' : 'frozen';
}

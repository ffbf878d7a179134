/** A key as answers show it: everything but its secret. */
import { z } from 'zod';
import { slug } from '../../../events/common.ts';
import { idSchema } from '../../../events/ids.ts';
import type { ApiKeyDocument } from '../../../projections/api-keys.ts';
import {
  momentField,
  nullableMomentField,
  textField,
  textsField,
} from '../../../projections/public-fields.ts';
import { exampleFrom } from '../example-from.ts';

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
    name: textField('What it is for.', 'Procurement agent'),
    hint: textField('The last four characters of its secret in force.', '3fZq'),
    scopes: textsField('What it may call.', ['trials:create', 'jobs:read']),
    agency: slug.nullable().meta({ description: 'The agency that it fulfils jobs for.', example: null }),
    mandateId: idSchema('mandate').meta({
      description: 'The mandate that it spends under.',
      example: 'mdt_01kb3j5m8xe3vb0v6yq4s5t7wz',
    }),
    expiresAt: nullableMomentField('When the key itself ends; null: it does not.'),
    madeBy: textField('Who made it: `key:` and the id of a key, `cli`, `seed`.', 'cli'),
    createdAt: momentField('When it was made.'),
    rotatedAt: nullableMomentField('When its secret was replaced last.'),
    frozenAt: nullableMomentField('Since when it is frozen.'),
    revokedAt: nullableMomentField('When it was revoked.'),
  })
  .meta({ id: 'Key', description: 'An API key of an account, without its secret.' });
export type KeyAnswer = z.output<typeof keySchema>;

export const exampleKey: KeyAnswer = {
  ...exampleFrom(keySchema),
  expiresAt: null,
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

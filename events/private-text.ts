/**
 * What people write freely can name people: it stands in events encrypted with a key of the account whose text it is.
 * The event holds the ciphertext and its digest, so that chains verify for ever, whether the key still exists or not.
 */
import { z } from 'zod';
import { sha256 } from './common.ts';

/** Longer than the ciphertext of any text that a request has room for. */
const MAX_CIPHERTEXT_CHARS = 400_000;

export const encryptedSchema = z.strictObject({
  /** base64url: a format byte (1), 8 bytes that name the key, 12 of nonce, AES-256-GCM ciphertext, 16 of tag. */
  ciphertext: z
    .string()
    .max(MAX_CIPHERTEXT_CHARS)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url'),
  /** SHA-256 of the characters of `ciphertext`. */
  digest: sha256,
});
export type Encrypted = z.output<typeof encryptedSchema>;

/** Events of version 1 hold the text itself; newer ones are written encrypted alone. */
export type PrivateText<Clear> = Encrypted | { readonly clear: Clear };

/** The schema of a text in today's events: encrypted, or in clear as an upcast event of version 1 has it. */
export function privateText<Clear>(clear: z.ZodType<Clear>) {
  return z.union([encryptedSchema, z.strictObject({ clear })]);
}

/** As events of today are written. */
export const exampleEncrypted: Encrypted = {
  ciphertext: 'Aaqqqqqqqqqqu7u7u7u7u7u7u7u7ypeBEsobvcr6wjGzmiPcTaeG7_gUfE5yuYB3ha_uSLvMzMzMzMzMzMzMzMzMzMzM',
  digest: '6108242218476718085467ff1bad4e065a9be1ba255d366d4cd84b9bc53a7ea5',
};

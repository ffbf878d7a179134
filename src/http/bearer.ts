/** `Authorization: Bearer …`, as far as HTTP goes; what a key is worth the given function knows. */
import type { KeyHolder } from '../operations/operation.ts';
import { refuse, type Refusal } from '../operations/refusals.ts';

/** Whoever the key belongs to, or null: malformed, unknown and revoked keys are all alike. */
export type Authenticate = (bearerToken: string, at: string) => Promise<KeyHolder | null>;

export type Authentication =
  | { readonly ok: true; readonly caller: KeyHolder }
  | { readonly ok: false; readonly refusal: Refusal };

const BEARER = /^bearer +([\x21-\x7e]+) *$/i;

export async function authenticateHeader(
  header: string | undefined,
  at: string,
  authenticate: Authenticate,
): Promise<Authentication> {
  if (header === undefined || header.trim() === '') {
    return refuse('api_key_missing', 'Send an API key: Authorization: Bearer <key>.');
  }
  const token = BEARER.exec(header)?.[1];
  const caller = token === undefined ? null : await authenticate(token, at);
  return caller ? { ok: true, caller } : refuse('api_key_invalid', 'The API key is not valid.');
}

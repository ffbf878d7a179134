/** `Authorization: Bearer …`, as far as HTTP goes; what a key is worth the given function knows. */
import type { Presented } from '../calling/authenticate.ts';
import type { KeyHolder } from '../operations/operation.ts';
import { refuse, type Refusal } from '../operations/refusals.ts';

/** Whoever the key belongs to, or null: malformed, unknown, expired and revoked keys are all alike. */
export type Authenticate = (bearerToken: string, at: string) => Promise<Presented>;

export type Authentication =
  | { readonly ok: true; readonly caller: KeyHolder }
  | { readonly ok: false; readonly refusal: Refusal };

const BEARER = /^bearer +([\x21-\x7e]+) *$/i;
const NO_KEY = /^\s*(?:bearer\s*)?$/i;

/** Whether no key was sent; a bare `Bearer` is what clients send whose variable for the key is empty. */
export function holdsNoKey(header: string | undefined): boolean {
  return header === undefined || NO_KEY.test(header);
}

export async function authenticateHeader(
  header: string | undefined,
  at: string,
  authenticate: Authenticate,
): Promise<Authentication> {
  if (header === undefined || holdsNoKey(header)) {
    return refuse('api_key_missing', 'Send an API key: Authorization: Bearer <key>.');
  }
  const token = BEARER.exec(header)?.[1];
  const presented = token === undefined ? null : await authenticate(token, at);
  switch (presented) {
    case null:
      return refuse('api_key_invalid', 'The API key is not valid.');
    case 'frozen key':
      return refuse('forbidden', 'The API key is frozen: nothing can be done with it until it is unfrozen.');
    case 'frozen account':
      return refuse(
        'forbidden',
        'The account is frozen: nothing can be done with its keys until it is unfrozen.',
      );
    default:
      return { ok: true, caller: presented };
  }
}

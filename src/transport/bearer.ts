/** `Authorization: Bearer …`. */
import type { Credential } from '../calling/authenticate.ts';

const BEARER = /^bearer +([\x21-\x7e]+) *$/i;
const NO_KEY = /^\s*(?:bearer\s*)?$/i;

/** The key that a header presents; a bare `Bearer` is what clients send whose variable for the key is empty. */
export function credentialOf(header: string | undefined): Credential {
  if (header === undefined || NO_KEY.test(header)) return 'none';
  const apiKey = BEARER.exec(header)?.[1];
  return apiKey === undefined ? 'malformed' : { apiKey };
}

/** The id under which a request is logged and answered: the caller's own where it is harmless, else a fresh one. */
import { randomUUID } from 'node:crypto';
import { freshId } from '../../events/ids.ts';

const HARMLESS = /^[A-Za-z0-9._-]{1,128}$/;

export function requestIdOf(inbound: string | string[] | undefined, at: string): string {
  if (typeof inbound === 'string' && HARMLESS.test(inbound)) return inbound;
  return freshId('request', at, randomUUID());
}

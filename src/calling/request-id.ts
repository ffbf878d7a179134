/**
 * The ids of a request: ours, under which it is logged, answered and written to the log of events, and the caller's own
 * beside it. A caller who chose ours could pass a request off as another.
 */
import { randomUUID } from 'node:crypto';
import { freshId } from '../../events/ids.ts';

const HARMLESS = /^[A-Za-z0-9._-]{1,128}$/;

export function newRequestId(at: string): string {
  return freshId('request', at, randomUUID());
}

/** The caller's own, where it is harmless; undefined where it is not, or was not sent. */
export function clientRequestIdOf(inbound: string | string[] | undefined): string | undefined {
  return typeof inbound === 'string' && HARMLESS.test(inbound) ? inbound : undefined;
}

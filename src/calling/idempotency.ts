/** Idempotency-Key: the caller's name for a command, so that sending it twice does it once. */
import { randomUUID } from 'node:crypto';
import { canonicalJson } from '../../events/canonical-json.ts';
import { sha256Hex } from '../../events/hash-chain.ts';
import type { KeyHolder } from '../operations/operation.ts';
import type { OperationInfo } from './callable.ts';

export const KEY_FORM = /^[\x21-\x7e]{1,255}$/;

/** What is wrong with a key that is not well formed. */
export const MALFORMED_KEY = 'must be 1 to 255 visible ASCII characters';

export interface CommandIdentity {
  readonly commandId: string;
  readonly requestHash?: string;
}

export function isIdempotencyKey(key: unknown): key is string {
  return typeof key === 'string' && KEY_FORM.test(key);
}

/** A query changes nothing: nobody asks for its name. */
const QUERY: CommandIdentity = { commandId: '' };

/** The identity of a call under its key, random without one. */
export function identify(
  key: string | undefined,
  operation: Pick<OperationInfo, 'name' | 'kind' | 'scope'>,
  caller: KeyHolder | null,
  input: unknown,
): CommandIdentity {
  if (operation.kind === 'query') return QUERY;
  if (key === undefined) return { commandId: randomUUID() };
  const owner = ownerOf(operation, caller);
  return {
    commandId: sha256Hex(canonicalJson([owner, operation.name, key])),
    requestHash: sha256Hex(canonicalJson(input)),
  };
}

/** For spends the mandate, which outlives a rotated key; else the account. */
function ownerOf({ scope }: Pick<OperationInfo, 'scope'>, caller: KeyHolder | null): string {
  if (caller === null) return 'public';
  return scope === 'trials:create' ? caller.mandateId : caller.accountId;
}

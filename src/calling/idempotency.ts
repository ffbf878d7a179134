/** Idempotency-Key: the caller's name for a command, so that sending it twice does it once. */
import { randomUUID } from 'node:crypto';
import { canonicalJson } from '../../events/canonical-json.ts';
import { sha256Hex } from '../../events/hash-chain.ts';
import type { KeyHolder } from '../operations/operation.ts';
import type { OperationInfo } from '../http/route.ts';

const VISIBLE = /^[\x21-\x7e]{1,255}$/;

export interface CommandIdentity {
  readonly commandId: string;
  readonly requestHash?: string;
}

/** The identity of a request under its key, or undefined when the key is not 1 to 255 visible ASCII characters. */
export function identify(
  key: string | string[] | undefined,
  operation: OperationInfo,
  caller: KeyHolder | null,
  input: unknown,
): CommandIdentity | undefined {
  if (key === undefined || operation.kind === 'query') return { commandId: randomUUID() };
  if (typeof key !== 'string' || !VISIBLE.test(key)) return undefined;
  const owner = ownerOf(operation, caller);
  return {
    commandId: sha256Hex(canonicalJson([owner, operation.name, key])),
    requestHash: sha256Hex(canonicalJson(input)),
  };
}

/** For spends the mandate, which outlives a rotated key; else the account. */
function ownerOf(operation: OperationInfo, caller: KeyHolder | null): string {
  if (caller === null) return 'public';
  return operation.scope === 'trials:create' ? caller.mandateId : caller.accountId;
}

/** What operations share about commands that may be sent again. */
import type { CommandCall } from '../commanding/command-call.ts';
import type { KeyedCall } from './operation.ts';
import type { AccountCipher } from './private-texts/account-cipher.ts';
import { refuse, type Refused } from './refusals.ts';

/** The call of an operation as the call of its command. */
export function commandCall(call: KeyedCall): CommandCall {
  const { at, requestId, commandId, requestHash, caller } = call;
  const actor = `key:${caller.keyId}`;
  return requestHash === undefined
    ? { at, requestId, commandId, actor }
    : { at, requestId, commandId, actor, requestHash };
}

/** What a request says of its command. */
type RequestCall = Pick<CommandCall, 'at' | 'actor' | 'requestId' | 'commandId' | 'requestHash'>;

/** The call of a command whose request holds text that is written encrypted: its digest must not give the text away. */
export function privateCall(call: RequestCall, cipher: AccountCipher): CommandCall {
  const { at, actor, requestId, commandId, requestHash } = call;
  if (requestHash === undefined) return { at, actor, requestId, commandId };
  // Member by member: each trial makes one, and a spread costs more than the digest.
  return {
    at,
    actor,
    requestId,
    commandId,
    requestHash: cipher.digest(requestHash),
    formerRequestHash: requestHash,
  };
}

export function idempotencyMismatch(): Refused {
  return refuse(
    'idempotency_mismatch',
    'this Idempotency-Key came with another request before: send that request again, or choose a new key',
  );
}

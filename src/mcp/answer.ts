/** What a method answers, before a transport says it in its own way. */
import type { NeededScope } from '../operations/operation.ts';
import type { Refusal, RefusalCode } from '../operations/refusals.ts';
import { REFUSED, type RpcError } from './json-rpc.ts';

export interface Result {
  readonly kind: 'result';
  /** A JSON object, at least one member. */
  readonly json: string;
  /** Goes into the result's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** For how long the result may be kept, in milliseconds. */
  readonly ttlMs?: number;
  /** What was refused, for the log: a model's tool result is no failure of the protocol. */
  readonly refused?: RefusalCode;
  /** What a key would need to be allowed this: HTTP tells it in a header beside the result. */
  readonly needs?: NeededScope;
}

export interface Failure {
  readonly kind: 'failure';
  readonly error: RpcError;
}

/**
 * The key that was sent is not good: HTTP has a status for that, stdio has not. A key that is missing, or lacks a scope,
 * is no challenge but a result: widely used clients end the whole conversation at a 401 or 403.
 */
export interface Challenge {
  readonly kind: 'challenge';
  readonly refusal: Refusal;
  readonly requestId: string;
}

export type Answer = Result | Failure | Challenge;

/** Whether it is about a key that was sent and is not good: mistyped, revoked, frozen. */
export function isOfBadKey({ code }: Refusal): boolean {
  return code === 'api_key_invalid' || code === 'forbidden';
}

export function result(value: object, more: Omit<Result, 'kind' | 'json'> = {}): Result {
  return { kind: 'result', json: JSON.stringify(value), ...more };
}

/** The no as a failure of the protocol, for methods whose result has no place for one. */
export function refusedFailure({ code, message, retryAfterSeconds }: Refusal): Failure {
  return failure(REFUSED, message, {
    code,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

export function failure(code: number, message: string, data?: unknown): Failure {
  return { kind: 'failure', error: { code, message, ...(data === undefined ? {} : { data }) } };
}

/** What a method answers, before a transport says it in its own way. */
import type { KeyHolder, NeededScope } from '../operations/operation.ts';
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
  readonly caller?: KeyHolder;
}

export interface Failure {
  readonly kind: 'failure';
  readonly error: RpcError;
}

/** The key is missing, not good or lacks `scope`: HTTP has statuses and a header for that, stdio has not. */
export interface Challenge {
  readonly kind: 'challenge';
  readonly refusal: Refusal;
  /** Null where nothing is needed, and the key that was sent is not good. */
  readonly scope: NeededScope | null;
  readonly requestId: string;
}

export type Answer = Result | Failure | Challenge;

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

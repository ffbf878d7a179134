/** Every way in which the service says no. A refusal is a value: it names what was wrong and what would be right. */
import type { MandateState } from './schemas/mandate-state.ts';

export const REFUSAL_CODES = [
  'invalid_request',
  'invalid_json',
  'invalid_cursor',
  'api_key_missing',
  'api_key_invalid',
  'signature_invalid',
  'payment_required',
  'mandate_denied',
  'scope_missing',
  'plan_required',
  'allowance_exceeded',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'conflict',
  'cursor_expired',
  'job_state',
  'price_changed',
  'idempotency_in_progress',
  'body_too_large',
  'unsupported_media_type',
  'precondition_failed',
  'range_not_satisfiable',
  'key_unworkable',
  'idempotency_mismatch',
  'rate_limited',
  'quota_exceeded',
  'internal',
  'unavailable',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** One thing that is wrong with a request: where, and what. */
export interface FieldError {
  /** The field, such as `inputs.rows` or `limit`. */
  readonly path: string;
  readonly message: string;
}

/**
 * One thing that stands in the way: a fault, a violated control, or a fact of what is there. Limits and values are
 * texts whatever their type is, so that every detail has one shape.
 */
export interface Detail extends FieldError {
  /** For a violated control: its reason, such as `monthly_cap`. */
  readonly reason?: string;
  /** What is allowed. */
  readonly limit?: string;
  /** What there is, or would have been. */
  readonly value?: string;
}

export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  /** For `mandate_denied`: the first control that was violated. */
  readonly reason?: string;
  readonly mandateState?: MandateState;
  readonly details?: readonly Detail[];
  /** When it makes sense to try again. */
  readonly retryAfterSeconds?: number;
}

/** What is there already and does not allow what was asked, such as a job's status. */
export function standsAt(path: string, value: string): readonly [Detail] {
  return [{ path, message: `is ${value}`, value }];
}

/** A no, as what was asked for comes back with it. */
export interface Refused {
  readonly ok: false;
  readonly refusal: Refusal;
}

export function refuse(
  code: RefusalCode,
  message: string,
  more: Omit<Refusal, 'code' | 'message'> = {},
): Refused {
  return { ok: false, refusal: { code, message, ...more } };
}

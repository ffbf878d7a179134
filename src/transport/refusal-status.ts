/** How each refusal is said in HTTP. The compiler keeps the table complete. */
import type { RefusalCode } from '../operations/refusals.ts';

export interface RefusalStatus {
  readonly status: number;
  /** When it happens, for the reference. */
  readonly when: string;
}

export const REFUSAL_STATUS: Readonly<Record<RefusalCode, RefusalStatus>> = {
  invalid_request: {
    status: 400,
    when: 'A parameter or field is wrong or unknown; `details` names each. With status 431: the head of the request is larger than 16 KiB.',
  },
  invalid_json: { status: 400, when: 'The body is not well-formed JSON.' },
  invalid_cursor: {
    status: 400,
    when: 'The cursor is malformed or belongs to other filters or another sort.',
  },
  api_key_missing: { status: 401, when: 'The operation needs an API key and none was sent.' },
  api_key_invalid: { status: 401, when: 'The API key is malformed, unknown, expired or revoked.' },
  signature_invalid: {
    status: 401,
    when: 'The post must be signed, and is not, or wrongly, or too long ago.',
  },
  payment_required: {
    status: 402,
    when: 'Not given yet: the request carries no payment, and payments are on.',
  },
  mandate_denied: {
    status: 403,
    when: 'The mandate of the key refuses the spend; `reason` and `mandateState` say why.',
  },
  scope_missing: { status: 403, when: 'The key lacks a scope; the message names it.' },
  plan_required: { status: 403, when: 'The account has no plan that includes this.' },
  allowance_exceeded: {
    status: 403,
    when: 'The key that is asked for would have more than the account lets its keys give; `details` names each field.',
  },
  forbidden: {
    status: 403,
    when: 'The API key or its account is frozen, or it may not do this here; the signature of an address is wrong or its time is over.',
  },
  not_found: { status: 404, when: 'There is no such thing, or it belongs to somebody else.' },
  method_not_allowed: {
    status: 405,
    when: 'The address exists but not with this method; `Allow` lists those that do.',
  },
  request_timeout: { status: 408, when: 'The request or its body did not come in time.' },
  cursor_expired: {
    status: 410,
    when: 'The cursor is more than 90 days old: what changed since is not known in full any more.',
  },
  conflict: { status: 409, when: 'The request contradicts the present state.' },
  job_state: {
    status: 409,
    when: 'The job is in a state that does not allow this; the message names the state.',
  },
  price_changed: { status: 409, when: 'The price is above `maxAmountCents`.' },
  idempotency_in_progress: {
    status: 409,
    when: 'Not given: a second request with the same `Idempotency-Key` waits for the first.',
  },
  precondition_failed: { status: 412, when: 'The file is not as `If-Match` or `If-None-Match` says.' },
  body_too_large: { status: 413, when: 'The body is larger than is accepted.' },
  unsupported_media_type: {
    status: 415,
    when: 'The body is not of a type that is taken here, `application/json` nearly everywhere, or has a content coding.',
  },
  range_not_satisfiable: { status: 416, when: 'The file ends before the range begins.' },
  key_unworkable: {
    status: 422,
    when: 'The key that is asked for could never do what it is asked for; `details` names each field.',
  },
  idempotency_mismatch: { status: 422, when: 'The `Idempotency-Key` was used before with another request.' },
  rate_limited: { status: 429, when: 'Too many requests; `Retry-After` says when to come back.' },
  quota_exceeded: { status: 429, when: 'The quota of the month is used up.' },
  internal: { status: 500, when: 'A fault of ours; quote the request id.' },
  unavailable: {
    status: 503,
    when: 'Something we depend on is away for now; try again after `Retry-After`.',
  },
};

/** The statuses for which a client is always told when to try again. */
export const RETRY_AFTER_DEFAULT_SECONDS: Readonly<Partial<Record<RefusalCode, number>>> = {
  idempotency_in_progress: 1,
  rate_limited: 1,
  quota_exceeded: 60,
  unavailable: 1,
};

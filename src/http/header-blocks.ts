/** Header fields that never change, put together once. Flat lists of name and value, as node writes them fastest. */

/** What a script in somebody's browser may read of an answer. */
const EXPOSED = [
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Quota-Limit',
  'X-Quota-Remaining',
  'X-Quota-Reset',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
].join(', ');

/** Of every answer. */
export const SECURITY_HEADERS = [
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy',
  'no-referrer',
];

const JSON_TYPE = ['Content-Type', 'application/json; charset=utf-8'];

/** Of answers to callers with a key: for them alone, and of no use to a page of another origin. */
export const KEYED_HEADERS: readonly string[] = [...JSON_TYPE, ...SECURITY_HEADERS];

/** Of public reads: from anywhere. */
export const PUBLIC_HEADERS: readonly string[] = [
  ...JSON_TYPE,
  ...SECURITY_HEADERS,
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  EXPOSED,
];

/** The answer to a browser that asks whether it may. */
export const PREFLIGHT_HEADERS: readonly string[] = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Allow-Methods',
  'GET, HEAD',
  'Access-Control-Allow-Headers',
  'Accept, Content-Type, If-None-Match, X-Request-Id',
  'Access-Control-Max-Age',
  '86400',
];

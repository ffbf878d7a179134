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
  'X-Client-Request-Id',
  'X-Quota-Limit',
  'X-Quota-Remaining',
  'X-Quota-Reset',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
].join(', ');

/** Of every answer, whatever a page of another origin may do with it. */
const COMMON_HEADERS: readonly string[] = [
  'X-Content-Type-Options',
  'nosniff',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Permissions-Policy',
  'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
];

/** Of answers that no page of another origin may embed. */
export const OWN_ORIGIN_HEADERS: readonly string[] = [
  ...COMMON_HEADERS,
  'Cross-Origin-Resource-Policy',
  'same-origin',
];

/** Of answers that are for everybody: from anywhere. */
export const ANY_ORIGIN_HEADERS: readonly string[] = [
  ...COMMON_HEADERS,
  'Cross-Origin-Resource-Policy',
  'cross-origin',
  'Access-Control-Allow-Origin',
  '*',
];

/** Of what is no page: a browser that is shown it runs and loads nothing. */
const INERT = [
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy',
  'no-referrer',
];

export const SECURITY_HEADERS: readonly string[] = [...OWN_ORIGIN_HEADERS, ...INERT];

/** Of public reads. */
export const OPEN_HEADERS: readonly string[] = [...ANY_ORIGIN_HEADERS, ...INERT];

/**
 * Where the service is reached by https, browsers are told to come by nothing else for a year. Other names of the same
 * domain are not ours to decide about.
 */
export function transportHeaders(baseUrl: string): readonly string[] {
  return baseUrl.startsWith('https:') ? ['Strict-Transport-Security', 'max-age=31536000'] : [];
}

const JSON_TYPE = ['Content-Type', 'application/json; charset=utf-8'];
/** The answer depends on whose key came with the request, also where a cache would have to know it. */
const BY_KEY = ['Vary', 'Authorization'];

/** Of answers to callers with a key: for them alone, and of no use to a page of another origin. */
export const KEYED_HEADERS: readonly string[] = [...JSON_TYPE, ...SECURITY_HEADERS, ...BY_KEY];

/** Of public reads. */
export const PUBLIC_HEADERS: readonly string[] = [
  ...JSON_TYPE,
  ...OPEN_HEADERS,
  'Access-Control-Expose-Headers',
  EXPOSED,
];

/** The answer to a browser that asks whether it may, and may not. */
export const KEYED_OPTIONS_HEADERS: readonly string[] = [...SECURITY_HEADERS, ...BY_KEY];

/** The answer to a browser that asks whether it may, and may. */
export const PREFLIGHT_HEADERS: readonly string[] = [
  ...OPEN_HEADERS,
  'Access-Control-Allow-Methods',
  'GET, HEAD',
  'Access-Control-Allow-Headers',
  'Accept, Content-Type, If-None-Match, X-Request-Id',
  'Access-Control-Max-Age',
  '86400',
];

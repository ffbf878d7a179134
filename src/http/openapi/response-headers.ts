/** Header fields of answers, as the reference describes them. */
import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';

const HEADERS = {
  'X-Request-Id': {
    description:
      'The id under which we log the request. Yours, if you sent one, comes back as X-Client-Request-Id.',
    example: 'req_01kb3j5m8xe3vb0v6yq4s5t7wr',
  },
  'RateLimit-Policy': {
    description:
      'The limits that were counted against: the quota `q` in a window of `w` seconds. `public` and `failures` are of a client address, `account`, `trials`, `minute` and `month` of an account.',
    example: '"public";q=120;w=60',
  },
  RateLimit: {
    description: 'How many remain (`r`) of each until its window ends in `t` seconds.',
    example: '"public";r=119;t=60',
  },
  'X-RateLimit-Limit': {
    description:
      'Requests in any 60 seconds, of all keys of the account; without a good key, tries of your address.',
    example: '60',
  },
  'X-RateLimit-Remaining': { description: 'How many more may come now.', example: '59' },
  'X-RateLimit-Reset': {
    description: 'When the next of them leaves the minute, Unix time in seconds.',
    example: '1796116260',
  },
  'X-Quota-Limit': { description: 'Requests in the month, of all keys of the account.', example: '10000' },
  'X-Quota-Remaining': { description: 'How many more may come this month.', example: '5301' },
  'X-Quota-Reset': {
    description: 'When the next month begins, Unix time in seconds.',
    example: '1796083200',
  },
  ETag: {
    description: 'Changes whenever the answer does; send it as If-None-Match.',
    example: '"0f343b0931126a20f133d67c"',
  },
  'Cache-Control': { description: 'For how long the answer may be kept.', example: 'public, max-age=60' },
  Link: {
    description: 'With `rel="next"`: the address of the next page, where there is one.',
    example: '</api/v1/tools?limit=100&cursor=WyJxVGl2UXJ5M1VZQ0xtT1pQIiw4Mywi>; rel="next"',
  },
  Location: {
    description: 'The address of what was made.',
    example: '/v1/jobs/job_01kb3j5m8xe3vb0v6yq4s5t7wv',
  },
  'Idempotent-Replayed': {
    description: '`true` when this is the first answer to this Idempotency-Key once more.',
    example: 'true',
  },
  'Retry-After': { description: 'Try again after so many seconds.', example: '12' },
  'WWW-Authenticate': { description: 'How to authenticate.', example: 'Bearer' },
} as const;

export type HeaderName = keyof typeof HEADERS;

/** Of whatever is counted. */
export const LIMIT_HEADERS = ['RateLimit-Policy', 'RateLimit'] as const satisfies readonly HeaderName[];

/** Of what counts against the plan of an account. */
export const PLAN_HEADERS = [
  ...LIMIT_HEADERS,
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Quota-Limit',
  'X-Quota-Remaining',
  'X-Quota-Reset',
] as const satisfies readonly HeaderName[];

export type HeaderReferences = Record<string, { $ref: string }>;

export function registerHeaders(registry: OpenAPIRegistry): void {
  for (const [name, { description, example }] of Object.entries(HEADERS)) {
    registry.registerComponent('headers', name, { description, schema: { type: 'string' }, example });
  }
}

/** Leaves out, in place, what no answer of the document carries. */
export function dropUnusedHeaders(document: object): void {
  const { components } = document as { readonly components: { readonly headers: Record<string, unknown> } }; // as the generator makes it
  const text = JSON.stringify(document);
  for (const name of Object.keys(components.headers))
    if (!text.includes(`"#/components/headers/${name}"`)) delete components.headers[name];
}

export function headers(...names: readonly HeaderName[]): HeaderReferences {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

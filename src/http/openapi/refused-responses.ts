/** The refusals of a route as responses: one for each status, shared between the routes that refuse alike. */
import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import type { RefusalCode } from '../../operations/refusals.ts';
import { refusalsOf } from './implied-refusals.ts';
import { REFUSAL_STATUS, RETRY_AFTER_DEFAULT_SECONDS } from '../../transport/refusal-status.ts';
import type { Route } from '../../transport/route.ts';
import { refusedExample } from './refused-schema.ts';
import { type HeaderName, headers, LIMIT_HEADERS, PLAN_HEADERS } from './response-headers.ts';

type Codes = readonly [RefusalCode, ...RefusalCode[]];
type References = Record<string, { $ref: string }>;

/** Said before a request is counted: about its key, or because something is away. */
const UNCOUNTED: ReadonlySet<number> = new Set([401, 403, 500, 503]);

/** Gives the responses of a route by status; registers each kind of response when it is first asked for. */
export function refusedResponses(registry: OpenAPIRegistry): (route: Route) => References {
  const registered = new Set<string>();
  return (route) => {
    const responses: References = {};
    for (const [status, codes] of byStatus(refusalsOf(route))) {
      const counted = countedBy(route, status);
      const name = nameOf(codes, counted);
      if (!registered.has(name)) register(registry, name, codes, status, counted);
      registered.add(name);
      responses[status] = { $ref: `#/components/responses/${name}` };
    }
    return responses;
  };
}

/** Whose header fields the answer carries; in the names of responses that is told apart. */
type CountedBy = '' | 'Limited' | 'Metered';

function countedBy({ limited, operation }: Route, status: number): CountedBy {
  if (operation.metered !== undefined) return 'Metered';
  return limited && !UNCOUNTED.has(status) ? 'Limited' : '';
}

const HEADERS_OF: Readonly<Record<CountedBy, readonly HeaderName[]>> = {
  '': [],
  Limited: LIMIT_HEADERS,
  Metered: PLAN_HEADERS,
};

function register(
  registry: OpenAPIRegistry,
  name: string,
  codes: Codes,
  status: number,
  counted: CountedBy,
): void {
  const examples = codes.map((code) => [
    code,
    { summary: REFUSAL_STATUS[code].when, value: refusedExample(code, REFUSAL_STATUS[code].when) },
  ]);
  registry.registerComponent('responses', name, {
    description: codes.map((code) => `\`${code}\`: ${REFUSAL_STATUS[code].when}`).join('\n\n'),
    headers: headers(...headerNames(codes, status, counted)),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Refused' },
        examples: Object.fromEntries(examples),
      },
    },
  });
}

function headerNames(codes: Codes, status: number, counted: CountedBy): HeaderName[] {
  const retries = codes.some((code) => RETRY_AFTER_DEFAULT_SECONDS[code] !== undefined);
  return [
    'X-Request-Id',
    ...HEADERS_OF[counted],
    ...(retries ? (['Retry-After'] as const) : []),
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
  ];
}

function byStatus(codes: readonly RefusalCode[]): Map<number, Codes> {
  const grouped = new Map<number, Codes>();
  for (const code of codes) {
    const { status } = REFUSAL_STATUS[code];
    const before = grouped.get(status);
    grouped.set(status, before ? [...before, code] : [code]);
  }
  return grouped;
}

/** `JobStateOrConflictRefused`; with `Limited` or `Metered` before it where the answer carries header fields of those. */
function nameOf(codes: Codes, counted: CountedBy): string {
  const pascal = (code: string): string =>
    code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return `${counted}${codes.map(pascal).join('Or')}Refused`;
}

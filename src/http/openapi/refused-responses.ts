/** The refusals of a route as responses: one for each status, shared between the routes that refuse alike. */
import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import type { RefusalCode } from '../../operations/refusals.ts';
import { refusalsOf } from '../implied-refusals.ts';
import { REFUSAL_STATUS, RETRY_AFTER_DEFAULT_SECONDS } from '../../transport/refusal-status.ts';
import type { Route } from '../../transport/route.ts';
import { refusedExample } from './refused-schema.ts';
import { headers, type HeaderName } from './response-headers.ts';

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
      const isCounted = route.limited && !UNCOUNTED.has(status);
      const name = nameOf(codes, isCounted);
      if (!registered.has(name)) register(registry, name, codes, status, isCounted);
      registered.add(name);
      responses[status] = { $ref: `#/components/responses/${name}` };
    }
    return responses;
  };
}

function register(
  registry: OpenAPIRegistry,
  name: string,
  codes: Codes,
  status: number,
  limited: boolean,
): void {
  const examples = codes.map((code) => [
    code,
    { summary: REFUSAL_STATUS[code].when, value: refusedExample(code, REFUSAL_STATUS[code].when) },
  ]);
  registry.registerComponent('responses', name, {
    description: codes.map((code) => `\`${code}\`: ${REFUSAL_STATUS[code].when}`).join('\n\n'),
    headers: headers(...headerNames(codes, status, limited)),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Refused' },
        examples: Object.fromEntries(examples),
      },
    },
  });
}

function headerNames(codes: Codes, status: number, limited: boolean): HeaderName[] {
  const retries = codes.some((code) => RETRY_AFTER_DEFAULT_SECONDS[code] !== undefined);
  return [
    'X-Request-Id',
    ...(limited ? (['RateLimit-Policy', 'RateLimit'] as const) : []),
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

/** `JobStateOrConflictRefused`; with `Limited` before it where the answer carries the limit's header fields. */
function nameOf(codes: Codes, limited: boolean): string {
  const pascal = (code: string): string =>
    code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return `${limited ? 'Limited' : ''}${codes.map(pascal).join('Or')}Refused`;
}

/** OpenAPI 3.1, made from the same routes and schemas that answer. */
import { OpenAPIRegistry, OpenApiGeneratorV31, type ResponseConfig } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { SCOPES } from '../../operations/operation.ts';
import { refusalsOf } from './implied-refusals.ts';
import type { Route } from '../../transport/route.ts';
import { writeOutAnyJson } from './any-json.ts';
import { type DescriptionInfo, MARKETPLACE } from './descriptions.ts';
import { nameSchemas } from './named-schemas.ts';
import { allowNullForAbsent } from './nullable-optionals.ts';
import { portable } from './portable.ts';
import { refusedResponses } from './refused-responses.ts';
import { alwaysNull, emptyMeta, refusedSchema } from './refused-schema.ts';
import { BYTES, requestOf } from './request-parts.ts';
import {
  dropUnusedHeaders,
  type HeaderName,
  headers,
  LIMIT_HEADERS,
  PLAN_HEADERS,
  registerHeaders,
} from './response-headers.ts';

const SHARED_INFO = {
  contact: { name: 'Bourse' },
  version: '1.0.0',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

const TAGS: Record<Route['operation']['tag'], string> = {
  directory: 'Agents, agencies, bundles, and the methodology by which agents are verified.',
  jobs: 'Trial runs: created within a mandate, paid at their funding URL, done by an agency.',
  keys: 'Who a key is, and the keys of an account.',
  mandates: 'What a key may spend, what it has spent, and how it came to that.',
  webhooks: 'Where you are notified of what becomes of your jobs, and what became of each message.',
  data: 'The Directory Data API: rows of its data sets, and what your account has used of its plan.',
  provider: 'For agencies: the jobs of their agents.',
  operator: 'For operators of the marketplace.',
  operations: 'For monitoring.',
};

/** The document as it is served and committed. */
export function openApiText(routes: readonly Route[], info: DescriptionInfo = MARKETPLACE): string {
  const document = portable(openApiDocument(routes, info));
  allowNullForAbsent(document);
  nameSchemas(document);
  dropUnusedHeaders(document);
  return `${JSON.stringify(document, null, 2)}\n`;
}

function openApiDocument(routes: readonly Route[], info: DescriptionInfo): object {
  const registry = new OpenAPIRegistry();
  registerHeaders(registry);
  registry.registerComponent('securitySchemes', 'apiKey', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: '<prefix>_ak_<secret>',
    description: `An API key. Its scopes are among ${SCOPES.map((scope) => `\`${scope}\``).join(', ')}.`,
  });
  const refused = refusedResponses(registry);
  for (const route of routes) {
    const { input, output } = route.operation;
    for (const schema of [input, output]) writeOutAnyJson(schema);
    registerRoute(registry, route, refused(route));
  }
  const used = new Set(routes.map((route) => route.operation.tag));
  const definitions = [{ type: 'schema' as const, schema: refusedSchema }, ...registry.definitions];
  return new OpenApiGeneratorV31(definitions, { sortComponents: 'alphabetically' }).generateDocument({
    openapi: '3.1.0',
    info: { ...info, ...SHARED_INFO },
    servers: [{ url: '/', description: 'Where this description is served.' }],
    tags: Object.entries(TAGS)
      .filter(([name]) => [...used].some((tag) => tag === name))
      .map(([name, description]) => ({ name, description })),
  });
}

/** Of a bearer key OpenAPI knows no scopes that every reader accepts: an extension and the description tell them. */
function securityOf({ operation: { scope }, limited }: Route): { apiKey?: string[] }[] {
  const key = { apiKey: [] };
  if (scope !== null) return [key];
  // Whoever sends one is counted by it.
  return limited ? [{}, key] : [];
}

function scopesOf({ scope, orScope }: Route['operation']): string[] {
  return [scope, orScope].flatMap((one) => (one === 'any_key' ? [] : (one ?? [])));
}

/** In words: of two media types the clients of several generators would have no answer but "either". */
const AS_CSV =
  '\n\nWith `format=csv` it answers `text/csv`: the rows as an export has them, with a header on each page, and the ' +
  'next page in `Link`.';

function descriptionOf(operation: Route['operation']): string {
  const scopes = scopesOf(operation).map((scope) => `\`${scope}\``);
  const description = operation.description + (operation.alsoAsCsv === true ? AS_CSV : '');
  if (scopes.length === 0) return description;
  return `${description}\n\nThe key needs the scope ${scopes.join(' or ')}.`;
}

type References = ReturnType<ReturnType<typeof refusedResponses>>;

function registerRoute(registry: OpenAPIRegistry, route: Route, refused: References): void {
  const { operation, path } = route;
  const tagged = route.caching.tag !== 'never';
  registry.registerPath({
    method: METHODS[route.method],
    path,
    operationId: operation.name,
    summary: operation.summary.replace(/\.$/, ''),
    description: descriptionOf(operation),
    tags: [operation.tag],
    security: securityOf(route),
    'x-scopes': scopesOf(operation),
    'x-refusal-codes': [...refusalsOf(route)],
    ...(operation.alsoAsCsv === true ? { 'x-other-media-types': ['text/csv'] } : {}),
    request: requestOf(route, tagged),
    responses: {
      ...acceptedResponses(route),
      ...(tagged && route.bytes === null ? { 304: notModified(route) } : {}),
      ...refused,
    },
  });
}

function acceptedResponses(route: Route): Record<string, ResponseConfig> {
  if (route.bytes === 'out') {
    const content = { 'application/octet-stream': { schema: BYTES } };
    const description = 'The file, to be saved: its own Content-Type and its name in Content-Disposition.';
    const whole = { description, headers: headers('X-Request-Id', 'Cache-Control'), content };
    return { 200: whole, 206: { ...whole, description: 'The part of the file that Range asked for.' } };
  }
  if (route.bytes === 'lines') {
    const description = 'One JSON object a line, to be saved: its name is in Content-Disposition.';
    const content = { 'application/x-ndjson': { schema: BYTES } };
    return { 200: { description, headers: headers('X-Request-Id', 'Cache-Control'), content } };
  }
  const accepted = acceptedResponse(route);
  if (route.accepts) return { 200: accepted, 202: accepted };
  if (route.creates && route.method === 'PUT') {
    return { 200: acceptedResponse({ ...route, creates: false }), 201: accepted };
  }
  return { [route.creates ? 201 : 200]: accepted };
}

const METHODS = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const;

function acceptedResponse(route: Route): ResponseConfig {
  const { operation } = route;
  const meta = operation.meta ? exampleOf(operation.meta) : {};
  const example = { data: operation.example.output, meta, error: null };
  const schema = z.strictObject({
    data: operation.output,
    meta: operation.meta ?? emptyMeta,
    error: alwaysNull('Nothing went wrong.'),
  });
  return {
    description: operation.summary,
    headers: headers(...acceptedHeaders(route)),
    content: { 'application/json': { schema, example } },
  };
}

function notModified(route: Route): ResponseConfig {
  return {
    description: 'What you have is still the answer.',
    headers: headers(...acceptedHeaders(route)),
  };
}

function acceptedHeaders(route: Route): HeaderName[] {
  const { operation } = route;
  const tagged = route.caching.tag !== 'never';
  return [
    'X-Request-Id',
    'Cache-Control',
    ...(tagged ? (['ETag'] as const) : []),
    ...(linksToNext(operation) ? (['Link'] as const) : []),
    ...limitHeaders(route),
    ...(route.creates ? (['Location'] as const) : []),
    ...(operation.kind === 'command' ? (['Idempotent-Replayed'] as const) : []),
  ];
}

function linksToNext({ metered, meta }: Route['operation']): boolean {
  return metered !== undefined && meta instanceof z.ZodObject && 'nextCursor' in meta.shape;
}

function limitHeaders({ limited, operation }: Route): readonly HeaderName[] {
  if (operation.metered !== undefined) return PLAN_HEADERS;
  return limited || operation.scope !== null ? LIMIT_HEADERS : [];
}

/** The example of a schema, put together from its fields' where it has none of its own. */
function exampleOf(schema: z.core.$ZodType): unknown {
  const own = z.globalRegistry.get(schema)?.['example'];
  if (own !== undefined) return own;
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return exampleOf(schema.def.innerType);
  if (!(schema instanceof z.ZodObject)) return undefined;
  return Object.fromEntries(Object.entries(schema.shape).map(([name, field]) => [name, exampleOf(field)]));
}

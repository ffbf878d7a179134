/** What a route reads, as the reference describes it: parameters, header fields, body. */
import { z } from 'zod';
import { isList } from '../../transport/coercion.ts';
import type { Route } from '../../transport/route.ts';

const idempotencyKey = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[\x21-\x7e]+$/)
  .optional()
  .meta({
    description:
      'Your name for this request: send it again with the same key, and it is done once and answered alike. ' +
      'Kept for at least 24 hours. Visible ASCII characters.',
    example: 'order-7431',
  });

const ifNoneMatch = z.string().optional().meta({
  description: 'The ETag of the answer you have: 304 if it is still the answer.',
  example: '"0f343b0931126a20f133d67c"',
});

const requestId = z
  .string()
  .optional()
  .meta({
    description:
      'Your id for this request, of letters, digits, dots, hyphens and underscores: logged beside ours, and answered as ' +
      'X-Client-Request-Id. Any other text is left out.',
    example: 'checkout-42',
  });

export function requestOf(route: Route, tagged: boolean) {
  const { operation, readsBody } = route;
  const isCommand = operation.kind === 'command';
  const path = fieldsOf(route, (name) => route.pathParameters.includes(name));
  const rest = fieldsOf(
    route,
    (name) => !route.pathParameters.includes(name) && !route.headerFields.has(name),
  );
  const headerFields = {
    ...(isCommand ? { 'Idempotency-Key': idempotencyKey } : {}),
    ...(tagged ? { 'If-None-Match': ifNoneMatch } : {}),
    ...sentInHeader(route),
    'X-Request-Id': requestId,
  };
  const hasRest = Object.keys(rest).length > 0;
  return {
    params: z.object(path),
    headers: z.object(headerFields),
    ...(readsBody || !hasRest ? {} : { query: z.object(mapValues(rest, asParameter)) }),
    ...(readsBody && hasRest ? { body: bodyOf(route, rest) } : {}),
    ...(route.bytes === 'in' ? { body: FILE_BODY } : {}),
  };
}

function sentInHeader(route: Route): Fields {
  const fields = fieldsOf(route, (name) => route.headerFields.has(name));
  return Object.fromEntries(
    Object.entries(fields)
      .map(([name, schema]) => [route.headerFields.get(name) ?? name, schema] as const)
      .filter(([name]) => name !== 'Content-Type'), // OpenAPI ignores it as a parameter: the media type says it
  );
}

/** As generators know bytes: OpenAPI 3.1 would have no schema here, and they take that for any JSON. */
export const BYTES = { type: 'string', format: 'binary', description: 'The bytes of the file.' } as const;
const FILE_BODY = { required: true, content: { 'application/octet-stream': { schema: BYTES } } };

function bodyOf(route: Route, fields: Fields) {
  const { operation, pathParameters } = route;
  const given = Object.entries(Object(operation.example.input)).filter(
    ([name]) => !pathParameters.includes(name) && !route.headerFields.has(name),
  );
  const example = Object.fromEntries(given);
  return {
    required: Object.values(fields).some((field) => !field.safeParse(undefined).success),
    content: { 'application/json': { schema: z.strictObject(fields), example } },
  };
}

type Fields = Record<string, z.ZodType>;

function fieldsOf({ operation }: Route, wanted: (name: string) => boolean): Fields {
  const entries = Object.entries(operation.input.shape).filter(([name]) => wanted(name));
  return Object.fromEntries(
    entries.flatMap(([name, schema]) => (schema instanceof z.ZodType ? [[name, schema]] : [])),
  );
}

/** Lists in a query are shown with commas (and taken repeated as well). A cursor belongs to a question asked before, and a position to a log: none can be an example. */
function asParameter(schema: z.ZodType, name: string): z.ZodType {
  if (name === 'cursor' || name === 'after') return schema.meta({ ...schema.meta(), example: undefined });
  if (!isList(schema)) return schema;
  return schema.meta({ ...schema.meta(), param: { style: 'form', explode: false } });
}

function mapValues(fields: Fields, change: (schema: z.ZodType, name: string) => z.ZodType): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, change(schema, name)]));
}

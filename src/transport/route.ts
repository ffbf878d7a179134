/**
 * A route joins an operation with its method and path, and knows where each field of its input is sent: in the path,
 * in the query (GET) or in the body.
 */
import { absentNulls } from '../calling/absent-nulls.ts';
import { type Callable, callable } from '../calling/callable.ts';
import type { Operation } from '../operations/operation.ts';
import type { Services } from '../operations/services.ts';
import type { Caching } from './send.ts';
import { coercionFor, type Coercion, isList } from './coercion.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Route extends Callable {
  readonly method: Method;
  /** Such as `/v1/agents/{slug}`. */
  readonly path: string;
  readonly pathParameters: readonly string[];
  /** Those of them that name what must be there already: all but the name that a PUT gives to what it makes. */
  readonly lookedUp: readonly string[];
  /** The fields that are not in the path, with what their text in a query means. */
  readonly fields: ReadonlyMap<string, Coercion>;
  /** Those whose text in a query is a list. */
  readonly lists: ReadonlySet<string>;
  /** Whether they come in the body. */
  readonly readsBody: boolean;
  /** Whether anybody may read it, from anywhere, and all are told the same. */
  readonly isPublicRead: boolean;
  /** How long its answers may be kept. */
  readonly caching: Caching;
  /** Whether each client address may come only so often. */
  readonly limited: boolean;
  /** Whether it is answered before Express: for what is asked for all the time. */
  readonly fastPath: boolean;
  /** Whether its last parameter may hold slashes: raw or percent-encoded, it is the same value. */
  readonly wildcard: boolean;
  /** Whether it makes something with an address of its own: answered as 201 with Location. */
  readonly creates: boolean;
  /** Whether what is new is answered as 202: accepted, and on its way. */
  readonly accepts: boolean;
  /** Fields that are sent in the header, with the header's name. */
  readonly headerFields: ReadonlyMap<string, string>;
  /** `in`: the body is bytes, streamed to the operation; `out`: so is the answer; `lines`: it is lines of JSON. */
  readonly bytes: 'in' | 'out' | 'lines' | null;
  /** Whether the operation is given the text of the body as it came: signatures are over that. */
  readonly keepsText: boolean;
  /** Whether the address is signed as a whole: whatever is changed about it is forbidden. */
  readonly isSignedUrl: boolean;
  /** The input without the nulls of optional fields, which mean that they are absent. */
  readonly withoutNulls: (input: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** Whether monitoring is told more than others. */
  readonly tellsMonitors: boolean;
  /** Whether the credential in the address is ours; null where there is none. Asked before a body is read. */
  readonly isOurs: CredentialCheck | null;
  /** As large as a body may be: no larger than the operation can use. */
  readonly maxBodyBytes: number;
}

export type CredentialCheck = (
  params: Readonly<Record<string, string>>,
  services: Pick<Services, 'signer'>,
) => boolean;

/** Room for every field of most operations, in the most wasteful way of writing them. */
export const USUAL_BODY_KIB = 32;

export interface RouteOptions {
  readonly fastPath?: boolean;
  readonly wildcard?: boolean;
  readonly creates?: boolean;
  readonly accepts?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bytes?: 'in' | 'out' | 'lines';
  readonly keepsText?: boolean;
  readonly signedUrl?: boolean;
  readonly tellsMonitors?: boolean;
  readonly isOurs?: CredentialCheck;
  /** For operations that take more than {@link USUAL_BODY_KIB}. */
  readonly maxBodyKib?: number;
  /** Monitoring and descriptions of the service itself do not count against the public limit. */
  readonly unlimited?: boolean;
}

/** One row of a route table; throws for a row that contradicts its operation. */
export function route<Input, Output>(
  method: Method,
  path: string,
  operation: Operation<Input, Output>,
  options: RouteOptions = {},
): Route {
  const called = callable(operation);
  const { input } = called.operation;
  const pathParameters = [...path.matchAll(/\{(\w+)\}/g)].map((found) => found[1] ?? '');
  const missing = pathParameters.find((name) => !(name in input.shape));
  if (missing !== undefined)
    throw new Error(`${operation.name} has no input field for {${missing}} of ${path}`);
  const { bytes = null, headers = {} } = options;
  const elsewhere = [...pathParameters, ...Object.keys(headers)];
  const fields = Object.entries(input.shape).filter(([name]) => !elsewhere.includes(name));
  const tellsMonitors = options.tellsMonitors === true;
  const isPublicRead = operation.scope === null && method === 'GET' && !tellsMonitors;
  return {
    ...called,
    method,
    path,
    pathParameters,
    lookedUp: method === 'PUT' && path.endsWith('}') ? pathParameters.slice(0, -1) : pathParameters,
    fields: new Map(fields.map(([name, schema]) => [name, coercionFor(schema)])),
    lists: new Set(fields.flatMap(([name, schema]) => (isList(schema) ? [name] : []))),
    readsBody: method !== 'GET' && method !== 'DELETE' && bytes !== 'in',
    isPublicRead,
    caching: isPublicRead
      ? { cacheControl: `public, max-age=${operation.cacheSeconds ?? 0}`, tag: 'always' }
      : { cacheControl: 'private, no-cache', tag: method === 'GET' ? 'with-revision' : 'never' },
    limited: isPublicRead && options.unlimited !== true,
    fastPath: options.fastPath === true,
    wildcard: options.wildcard === true,
    creates: options.creates === true,
    accepts: options.accepts === true,
    headerFields: new Map(Object.entries(headers)),
    bytes,
    keepsText: options.keepsText === true,
    isSignedUrl: options.signedUrl === true,
    withoutNulls: absentNulls(input),
    tellsMonitors,
    isOurs: options.isOurs ?? null,
    maxBodyBytes: (options.maxBodyKib ?? USUAL_BODY_KIB) * 1_024,
  };
}

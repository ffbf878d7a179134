/** The input of an operation, gathered from the path, and from the query or the body. */
import { isObject } from '../calling/strict-json.ts';
import type { IncomingMessage } from 'node:http';
import type { CallInput } from '../calling/call-request.ts';
import { MAX_FIELD_ERRORS } from '../calling/field-errors.ts';
import { refuse, type FieldError, type Refused } from '../operations/refusals.ts';
import { type NoteSize, readJsonBody } from './body.ts';
import type { Route } from './route.ts';

export type PathParameters = Readonly<Record<string, string>>;

/**
 * What was sent, not yet parsed by the operation's schema; its field errors name what has no place in it. `noteSize` is told
 * the bytes of the body.
 */
export function gatherInput(
  req: IncomingMessage,
  route: Route,
  params: PathParameters,
  noteSize: NoteSize,
): CallInput | Promise<CallInput | Refused> {
  const query = queryOf(req.url ?? '');
  const sent = route.headerFields.size === 0 ? params : { ...params, ...fromHeader(req, route) };
  if (!route.readsBody)
    return query === '' ? { ok: true, value: { ...sent }, fieldErrors: [] } : fromQuery(query, route, sent);
  return fromBody(req, query, route, sent, noteSize);
}

async function fromBody(
  req: IncomingMessage,
  query: string,
  route: Route,
  sent: PathParameters,
  noteSize: NoteSize,
): Promise<CallInput | Refused> {
  const body = await readJsonBody(req, route.maxBodyBytes, noteSize);
  if (!body.ok) return body;
  if (!isObject(body.value)) {
    return refuse('invalid_request', 'The body must be a JSON object.', {
      details: [{ path: '', message: 'must be an object' }],
    });
  }
  const value: Record<string, unknown> = { ...sent };
  const fieldErrors = [...parseQuery(query).values.keys()].map((path) => ({
    path,
    message: 'is not a query parameter here',
  }));
  for (const [name, member] of Object.entries(body.value)) {
    if (route.fields.has(name)) value[name] = member;
    else if (fieldErrors.length < MAX_FIELD_ERRORS) fieldErrors.push(unknown(name, route));
  }
  return {
    ok: true,
    value: route.withoutNulls(value),
    fieldErrors,
    text: route.keepsText ? body.text : undefined,
  };
}

/** Header fields are one text each; those that were not sent are left out. */
function fromHeader(req: IncomingMessage, { headerFields }: Route): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const [field, header] of headerFields) {
    // A range is of a GET alone (RFC 9110, section 14.2).
    if (header === 'Range' && req.method !== 'GET') continue;
    const text = req.headers[header.toLowerCase()];
    if (typeof text === 'string') sent[field] = text;
  }
  return sent;
}

function fromQuery(query: string, route: Route, params: PathParameters): CallInput {
  const { values, fieldErrors } = parseQuery(query, (name) => route.lists.has(name));
  const value: Record<string, unknown> = { ...params };
  const unknowns: FieldError[] = [];
  for (const [name, text] of values) {
    const coerce = route.fields.get(name);
    if (coerce) value[name] = coerce(text);
    else unknowns.push(unknown(name, route));
  }
  return { ok: true, value, fieldErrors: [...fieldErrors, ...unknowns] };
}

function unknown(name: string, route: Route): FieldError {
  const known = [...route.fields.keys()];
  const what = route.readsBody ? 'field' : 'query parameter';
  const hint = known.length === 0 ? `there are no ${what}s here` : `known are ${known.join(', ')}`;
  return { path: name, message: `is not a known ${what}; ${hint}` };
}

function queryOf(url: string): string {
  const mark = url.indexOf('?');
  if (mark === -1) return '';
  return url.slice(mark + 1);
}

export interface ParsedQuery {
  readonly values: ReadonlyMap<string, string>;
  readonly fieldErrors: readonly FieldError[];
}

const EMPTY: ParsedQuery = { values: new Map(), fieldErrors: [] };

/**
 * `query` is what stands after the question mark. The values of a list that is given as `a=1&a=2`, as many clients
 * write lists, are joined by commas.
 */
export function parseQuery(query: string, isList: (name: string) => boolean = () => false): ParsedQuery {
  if (query === '') return EMPTY;
  const values = new Map<string, string>();
  const fieldErrors: FieldError[] = [];
  const repeated = new Set<string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1));
    if (name === undefined || value === undefined) {
      fieldErrors.push({ path: name ?? '', message: 'is not validly percent-encoded' });
      continue;
    }
    const before = values.get(name);
    if (before === undefined) values.set(name, value);
    else if (isList(name)) values.set(name, `${before},${value}`);
    else repeated.add(name);
  }
  for (const path of repeated) fieldErrors.push({ path, message: 'is given more than once' });
  return { values, fieldErrors };
}

function decode(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

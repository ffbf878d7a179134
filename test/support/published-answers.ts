/** Holds every answer to the published description: its status must be documented and its body of the schema. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { AssertionError } from 'chai';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export type CheckAnswer = (method: string, path: string, answer: Answer) => void;

interface Reference {
  readonly $ref?: string;
}
interface Documented extends Reference {
  readonly headers?: Record<string, unknown>;
  readonly content?: Record<string, unknown>;
}
interface DocumentedOperation {
  readonly responses: Record<string, Documented>;
  readonly 'x-refusal-codes': readonly string[];
  readonly 'x-other-media-types'?: readonly string[];
}
interface Description {
  readonly paths: Record<string, Record<string, DocumentedOperation>>;
  readonly components: Record<string, Record<string, Documented>>;
}

/** What stands below it must be in the description; pages, discovery files and MCP are not of the REST API. */
const API_BASE = '/v1/';

/** Said of addresses and methods that are not there, or not even addresses: no operation documents them. */
const UNDOCUMENTED = new Set([400, 404, 405]);

export function answerChecker(openApiText: string): CheckAnswer {
  const description = JSON.parse(openApiText) as Description;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addFormat('binary', true);
  ajv.addSchema(description, 'api');
  const validators = new Map<string, ValidateFunction>();
  const validatorOf = (pointer: string): ValidateFunction => {
    const known = validators.get(pointer) ?? ajv.compile({ $ref: `api#${pointer}` });
    validators.set(pointer, known);
    return known;
  };

  return (method, path, answer) => {
    const pattern = patternOf(description, path);
    const operation = pattern && description.paths[pattern]?.[verbOf(method)];
    if (!operation) {
      const isOwed = path.startsWith(API_BASE) && method !== 'OPTIONS' && !UNDOCUMENTED.has(answer.status);
      if (!isOwed) return;
      throw new AssertionError(`${method} ${path} is answered by ${answer.status} and not documented`);
    }
    const at = `/paths/${escaped(pattern)}/${verbOf(method)}/responses/${answer.status}`;
    const given = operation.responses[answer.status];
    if (!given)
      throw new AssertionError(`${method} ${pattern} does not document ${answer.status}: ${answer.text}`);
    const [pointer, documented] = resolve(description, at, given);
    checkHeaders(`${method} ${pattern} ${answer.status}`, documented, answer);
    if (method === 'HEAD' || documented.content?.['application/json'] === undefined) return;
    // What is sent in a form of its own is held to it by its own tests.
    const [type = ''] = (answer.headers.get('Content-Type') ?? '').split(';');
    if (answer.status === 200 && operation['x-other-media-types']?.includes(type)) return;
    checkCode(`${method} ${pattern}`, operation['x-refusal-codes'], answer.text);
    const validate = validatorOf(`${pointer}/content/${escaped('application/json')}/schema`);
    if (!validate(JSON.parse(answer.text))) {
      const faults = validate.errors?.map((error) => `${error.instancePath} ${error.message}`).join('; ');
      throw new AssertionError(
        `${method} ${pattern} ${answer.status} breaks its schema: ${faults}\n${answer.text}`,
      );
    }
  };
}

function checkCode(what: string, codes: readonly string[], text: string): void {
  const { error } = JSON.parse(text) as { readonly error: { readonly code: string } | null };
  if (error !== null && !codes.includes(error.code))
    throw new AssertionError(`${what} does not document that it may refuse with ${error.code}`);
}

/** Header fields that are only sometimes there; every other documented one must be. */
const OCCASIONAL = new Set(['ETag', 'Idempotent-Replayed', 'Link']);

function checkHeaders(what: string, { headers = {} }: Documented, answer: Answer): void {
  const missing = Object.keys(headers).filter((name) => !OCCASIONAL.has(name) && !answer.headers.has(name));
  if (missing.length > 0) throw new AssertionError(`${what} came without ${missing.join(', ')}`);
}

function resolve(description: Description, at: string, given: Documented): [string, Documented] {
  const name = given.$ref?.split('/').at(-1);
  const shared = name === undefined ? undefined : description.components['responses']?.[name];
  return shared ? [`/components/responses/${name}`, shared] : [at, given];
}

/** A pattern without parameters goes before one with them, as in the server. */
function patternOf({ paths }: Description, path: string): string | undefined {
  if (path in paths) return path;
  if (!isDecodable(path)) return undefined;
  return Object.keys(paths).find((pattern) =>
    new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function verbOf(method: string): string {
  return method === 'HEAD' ? 'get' : method.toLowerCase();
}

function escaped(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Fronts a remote instance: each message goes there by HTTP, and its answer comes back unchanged. */
import { isObject } from '../calling/strict-json.ts';
import { type Refusal, REFUSAL_CODES } from '../operations/refusals.ts';
import { GatheredBytes } from '../ports/gathered-bytes.ts';
import {
  errorText,
  INTERNAL_ERROR,
  type Message,
  NAMED_BY,
  parseMessage,
  type Request,
  resultText,
} from './json-rpc.ts';
import { claimOf } from './revisions.ts';
import type { Answerer } from './stdio.ts';
import { refusedResult } from './tool-refusals.ts';
import { renderResult } from './render-result.ts';

const TIMEOUT_MS = 90_000;
/** Far more than any answer of an instance; of what is no instance no more is kept. */
const MAX_ANSWER_BYTES = 16 * 1_024 * 1_024;

export interface Remote {
  /** Its public address, such as `https://bourse.example`. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
}

export function remoteAnswerer({ baseUrl, apiKey }: Remote): Answerer {
  const url = `${baseUrl.replace(/\/+$/, '')}/mcp`;
  /** What `initialize` agreed on: the client over stdio has no header to say it again. */
  let agreed: string | undefined;
  return async (value, signal) => {
    const message = parseMessage(value);
    const request = message?.kind === 'request' ? message : undefined;
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
        headers: {
          Accept: 'application/json, text/event-stream',
          'Content-Type': 'application/json',
          ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
          ...revisionHeaders(message, agreed),
        },
        body: JSON.stringify(value),
      });
      const text = await textOf(response);
      if (request === undefined) return null;
      const answer = text === null ? null : answerIn(text);
      if (answer === null) return unreachable(request, `${url} answered ${response.status}, not as MCP`);
      if (request.method === 'initialize') agreed = agreedIn(answer) ?? agreed;
      return rendered(request, answer);
    } catch (error) {
      if (request === undefined || signal.aborted) return null;
      return unreachable(request, `${url} cannot be reached: ${causeOf(error)}`);
    }
  };
}

function revisionHeaders(message: Message | null, agreed: string | undefined): Record<string, string> {
  if (message === null || message.kind === 'response') return {};
  const { method, params } = message;
  const claim = claimOf(params);
  if (typeof claim !== 'string') {
    return agreed === undefined || method === 'initialize' ? {} : { 'MCP-Protocol-Version': agreed };
  }
  const field = NAMED_BY.get(method);
  const name = field === undefined ? undefined : params[field];
  return {
    'MCP-Protocol-Version': claim,
    'Mcp-Method': method,
    ...(typeof name === 'string' ? { 'Mcp-Name': headerValue(name) } : {}),
  };
}

/** Text that no header can carry as it is goes encoded, as 2026-07-28 has it. */
function headerValue(text: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?')) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

function answerIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const answer: unknown = JSON.parse(text);
    return isObject(answer) && ('result' in answer || 'error' in answer) ? answer : null;
  } catch {
    return null;
  }
}

function agreedIn({ result }: Readonly<Record<string, unknown>>): string | undefined {
  const version = isObject(result) ? result['protocolVersion'] : undefined;
  return typeof version === 'string' ? version : undefined;
}

/** The answer under the request's id. What HTTP says by its status becomes text for the model. */
function rendered(request: Request, answer: Readonly<Record<string, unknown>>): string {
  const { id, method } = request;
  const error = isObject(answer['error']) ? answer['error'] : undefined;
  const data = isObject(error?.['data']) ? error['data'] : undefined;
  const code = REFUSAL_CODES.find((known) => known === data?.['code']);
  if (method !== 'tools/call' || code === undefined) return JSON.stringify({ ...answer, id });
  const requestId = data?.['requestId'];
  return toldModel(
    request,
    { code, message: String(error?.['message']) },
    typeof requestId === 'string' ? requestId : '',
  );
}

/** A model is told that the same call may be sent again: whether it was done nobody here knows. */
function unreachable(request: Request, message: string): string {
  if (request.method === 'tools/call') return toldModel(request, { code: 'unavailable', message }, '');
  return errorText(request.id, { code: INTERNAL_ERROR, message });
}

function toldModel({ id, params }: Request, refusal: Refusal, requestId: string): string {
  const json = refusedResult(refusal, requestId);
  return resultText(id, renderResult({ json }, claimOf(params) === undefined ? 'handshake' : 'stateless'));
}

/** Null where it is longer than any answer of MCP. */
async function textOf({ body }: Response): Promise<string | null> {
  const gathered = new GatheredBytes();
  for await (const chunk of body ?? []) {
    if (gathered.length + chunk.length > MAX_ANSWER_BYTES) return null;
    gathered.add(chunk);
  }
  return gathered.take().toString('utf8');
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

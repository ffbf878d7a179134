/** Answers in HTTP: which status, which headers, JSON or one event of a stream. Always JSON-RPC in the body. */
import type { Exchange } from '../transport/exchange.ts';
import { SECURITY_HEADERS } from '../transport/header-blocks.ts';
import { REFUSAL_STATUS } from '../transport/refusal-status.ts';
import { sendMessage } from '../transport/send.ts';
import type { NeededScope } from '../operations/operation.ts';
import type { Refusal, RefusalCode } from '../operations/refusals.ts';
import type { Answer, Challenge } from './answer.ts';
import { errorText, METHOD_NOT_FOUND, REFUSED, type RequestId, type RpcError } from './json-rpc.ts';
import { type Mcp, renderAnswer } from './methods.ts';
import type { ProtocolGeneration } from './revisions.ts';

/** What every answer of the MCP address begins with. */
export const MCP_HEADERS: readonly string[] = [
  ...SECURITY_HEADERS,
  'Vary',
  'Authorization',
  'Cache-Control',
  'no-store',
];

export interface Reply {
  readonly status: number;
  /** JSON; empty for none. */
  readonly body: string;
  readonly headers?: readonly string[];
  readonly code?: RefusalCode;
}

export function replyTo(mcp: Mcp, id: RequestId, answer: Answer, generation: ProtocolGeneration): Reply {
  if (answer.kind === 'challenge') return challenged(id, answer);
  const body = renderAnswer(mcp, id, answer, generation);
  if (answer.kind === 'result') {
    const { refused, needs } = answer;
    return {
      status: 200,
      body,
      ...(refused === undefined ? {} : { code: refused }),
      ...(needs === undefined ? {} : { headers: ['WWW-Authenticate', bearer(refused, needs)] }),
    };
  }
  // 2026-07-28 says in HTTP too that there is no such method; older clients expect 200.
  const status = generation === 'stateless' && answer.error.code === METHOD_NOT_FOUND ? 404 : 200;
  return { status, body };
}

/** To what is no message of the protocol as it is spoken here. */
export function malformedReply(id: RequestId | null, error: RpcError): Reply {
  return { status: 400, body: errorText(id, error) };
}

/** The no to a message as a whole, which has no result to stand in. @param rpcCode what it is to JSON-RPC */
export function refusedReply(
  { code, message }: Refusal,
  id: RequestId | null = null,
  rpcCode = REFUSED,
): Reply & { readonly code: RefusalCode } {
  const body = errorText(id, { code: rpcCode, message, data: { code } });
  return { status: REFUSAL_STATUS[code].status, body, code };
}

function challenged(id: RequestId, { refusal, requestId }: Challenge): Reply {
  const { code, message } = refusal;
  return {
    status: REFUSAL_STATUS[code].status,
    body: errorText(id, { code: REFUSED, message, data: { code, requestId } }),
    headers: ['WWW-Authenticate', bearer(code, 'any_key')],
    code,
  };
}

/** What RFC 6750 has a server say of keys. It leads nowhere: keys are made by people, there is no authorization server. */
function bearer(code: RefusalCode | undefined, needs: NeededScope): string {
  const error = code === undefined ? undefined : BEARER_ERROR[code];
  const parameters = [
    ...(error === undefined ? [] : [`error="${error}"`]),
    ...(needs === 'any_key' ? [] : [`scope="${needs}"`]),
  ];
  return ['Bearer', parameters.join(', ')].filter((part) => part !== '').join(' ');
}

const BEARER_ERROR: Partial<Record<RefusalCode, string>> = {
  api_key_invalid: 'invalid_token',
  forbidden: 'invalid_token',
  scope_missing: 'insufficient_scope',
};

/**
 * Sends a reply. Accept is read leniently: whoever takes event streams only gets the answer as an event, everyone else
 * gets JSON, which no client of MCP may refuse.
 */
export function sendReply(exchange: Exchange, { status, body, headers = [], code }: Reply): void {
  exchange.headers.push(...headers);
  if (body === '') {
    exchange.headers.push('Content-Length', '0');
    return sendMessage(exchange, status, '', code);
  }
  const asEvent = status === 200 && takesEventsOnly(exchange.req.headers.accept);
  exchange.headers.push('Content-Type', asEvent ? 'text/event-stream' : 'application/json; charset=utf-8');
  sendMessage(exchange, status, asEvent ? `event: message\ndata: ${body}\n\n` : body, code);
}

function takesEventsOnly(accept: string | undefined): boolean {
  return (
    accept !== undefined &&
    /text\/event-stream/i.test(accept) &&
    !/application\/(?:json|\*)|\*\/\*/i.test(accept)
  );
}

/**
 * MCP over streamable HTTP, without sessions: each POST is answered from nothing but itself, so that any node answers
 * any request and no caller can see another. Answering by hand costs a tenth of a new SDK server for each request;
 * docs/decisions tells how the two are held together.
 */
import { logFailure } from '../logging/failures.ts';
import { admitRequest, refusalSince } from '../calling/admission.ts';
import { type JsonBody, MAX_BODY_BYTES, readJsonBody } from '../transport/body.ts';
import { announcedBytes } from '../transport/call-over-http.ts';
import { beginExchange, type HttpContext, type Exchange, type Handler } from '../transport/exchange.ts';
import { HttpCaller } from '../transport/http-caller.ts';
import { refusalFor } from '../calling/failure.ts';
import type { Refusal } from '../operations/refusals.ts';
import { type BatchRoom, createBatchRooms } from './batch-room.ts';
import { malformedReply, MCP_HEADERS, refusedReply, type Reply, replyTo, sendReply } from './http-reply.ts';
import {
  idOf,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  PARSE_ERROR,
  parseMessage,
  REFUSED,
  type Request,
  type RpcError,
} from './json-rpc.ts';
import { isOfBadKey } from './answer.ts';
import { answerRequest, type Mcp, operationOf, refuseRequest } from './methods.ts';
import { createOriginCheck } from './origin.ts';
import { claimOf, type McpHeaders, mayBatch, negotiate, UNBATCHABLE } from './revisions.ts';

export const MCP_PATH = '/mcp';
export const MAX_BATCH = 100;
/**
 * Without a good key: ten times what a call without one takes, and as much as a batch of a hundred. To parse and check
 * a quarter of a megabyte can take 50 ms.
 */
export const MAX_BODY_BYTES_WITHOUT_KEY = 32 * 1_024;
/** Of a client over its limit only what is this small is read, so that a model can be told in its own terms. */
const MAX_REFUSED_BODY_BYTES = 8 * 1_024;
const ACCEPTED: Reply = { status: 202, body: '' };
const NOT_JSON_RPC: RpcError = { code: INVALID_REQUEST, message: 'The body is not a JSON-RPC 2.0 message' };

interface Served {
  readonly reply: Reply;
  /** What it was, for the log. */
  readonly operation: string;
}

export function createMcpHandler(mcp: Mcp, context: HttpContext): Handler {
  const batches = createBatchRooms();
  const isOwnOrigin = createOriginCheck(mcp.services.baseUrl);
  return (req, res) => {
    const exchange = beginExchange(context, req, res, 'mcp', MCP_PATH, MCP_HEADERS);
    const { origin } = req.headers;
    if (!isOwnOrigin(origin)) return sendReply(exchange, foreignOrigin());
    if (origin !== undefined) allowReading(exchange, origin);
    if (req.method === 'OPTIONS') return sendReply(exchange, { status: 204, body: '', headers: PREFLIGHT });
    if (req.method !== 'POST') return sendReply(exchange, postOnly());
    const room = batches.enter();
    serve(mcp, exchange, room)
      .catch((error: unknown) => failed(error, exchange))
      .then(({ reply, operation }) => sendReply({ ...exchange, operation }, reply))
      .catch((error: unknown) => {
        context.log.error({ err: error, requestId: exchange.requestId }, 'answer failed');
        res.destroy();
      })
      .finally(room.leave);
  };
}

async function serve(mcp: Mcp, exchange: Exchange, room: BatchRoom): Promise<Served> {
  const { req } = exchange;
  const caller = new HttpCaller(exchange);
  const announced = announcedBytes(req, MAX_BODY_BYTES);
  const refusedAtHead = await admitRequest(caller, announced);
  if (refusedAtHead !== null && !(Number(req.headers['content-length']) <= MAX_REFUSED_BODY_BYTES))
    return refusedAtDoor(refusedAtHead);
  const authentication = await caller.authenticate();
  const maxBytes = authentication.ok ? MAX_BODY_BYTES : MAX_BODY_BYTES_WITHOUT_KEY;
  const body = await readJsonBody(req, maxBytes, (came) => {
    if (authentication.ok) caller.giveBack(authentication.caller, announced - came);
  });
  if (!body.ok) return { reply: refusedBody(body), operation: 'mcp unreadable' };
  const refusal = refusedAtHead ?? (await refusalSince(caller));
  const headers = mcpHeaders(exchange);
  if (!Array.isArray(body.value)) return serveOne(mcp, body.value, headers, caller, refusal);
  return refusal === null
    ? serveBatch(mcp, body.value, headers, exchange, caller, room)
    : refusedAtDoor(refusal);
}

async function serveOne(
  mcp: Mcp,
  value: unknown,
  headers: McpHeaders,
  caller: HttpCaller,
  refusal: Refusal | null,
): Promise<Served> {
  const message = parseMessage(value);
  if (message === null)
    return { reply: malformedReply(idOf(value), NOT_JSON_RPC), operation: 'mcp unreadable' };
  const negotiated = negotiate(message, headers);
  if (!negotiated.ok)
    return { reply: malformedReply(idOf(value), negotiated.error), operation: 'mcp unknownRevision' };
  const isNotification = message.kind !== 'request';
  if (isNotification && refusal !== null) return refusedAtDoor(refusal);
  // A notification has no answer; nothing that a client may notify us of has an effect without a session.
  if (isNotification) return { reply: ACCEPTED, operation: `mcp ${message.kind}` };
  const { generation } = negotiated;
  const answer =
    refusal === null
      ? await answerRequest(mcp, message, generation, caller)
      : refuseRequest(message, refusal, caller);
  return {
    reply: replyTo(mcp, message.id, answer, generation),
    operation: operationOf(mcp, message, generation),
  };
}

/** One after another, so that a batch gets no more at once than a single caller would. */
async function serveBatch(
  mcp: Mcp,
  values: readonly unknown[],
  headers: McpHeaders,
  { res }: Exchange,
  caller: HttpCaller,
  room: BatchRoom,
): Promise<Served> {
  const operation = 'mcp batch';
  const requests = requestsOf(values, headers);
  if (!Array.isArray(requests)) return { reply: malformedReply(null, requests), operation };
  const bodies: string[] = [];
  let ofBadKey: Refusal | null = null;
  for (const [at, request] of requests.entries()) {
    // Whoever has gone reads no answers.
    if (res.closed) break;
    // The first was counted before, and so was a key that ended on the way.
    const refusal: Refusal | null = ofBadKey ?? room.refusal() ?? (at === 0 ? null : await admitNext(caller));
    if (refusal !== null && isOfBadKey(refusal)) ofBadKey = refusal;
    const answer =
      refusal === null
        ? await answerRequest(mcp, request, 'handshake', caller)
        : refuseRequest(request, refusal, caller);
    const reply = replyTo(mcp, request.id, answer, 'handshake');
    // A key that does not do for the first does not do for the batch: HTTP has one status for all.
    if (reply.status !== 200 && at === 0) return { reply, operation };
    bodies.push(reply.body);
    room.take(reply.body.length);
  }
  return {
    reply: bodies.length === 0 ? ACCEPTED : { status: 200, body: `[${bodies.join(',')}]` },
    operation,
  };
}

/** Those before it may have taken so long that the key has ended. */
function admitNext(caller: HttpCaller): Promise<Refusal | null> {
  caller.moveToNow();
  return admitRequest(caller);
}

function requestsOf(values: readonly unknown[], headers: McpHeaders): Request[] | RpcError {
  if (!mayBatch(headers)) return UNBATCHABLE;
  if (values.length === 0 || values.length > MAX_BATCH) {
    return { ...NOT_JSON_RPC, message: `A batch has 1 to ${MAX_BATCH} messages` };
  }
  const messages = values.map(parseMessage);
  const requests = messages.filter((message) => message?.kind === 'request');
  const isSound = messages.every((message) => message !== null && negotiate(message, null).ok);
  const areOld = requests.every(
    ({ params, method }) => method !== 'initialize' && claimOf(params) === undefined,
  );
  return isSound && areOld
    ? requests
    : { ...NOT_JSON_RPC, message: 'The batch has an element that cannot be in one' };
}

function mcpHeaders({ req }: Exchange): McpHeaders {
  const { headers } = req;
  return {
    protocolVersion: single(headers['mcp-protocol-version']),
    method: single(headers['mcp-method']),
    name: single(headers['mcp-name']),
  };
}

/** Node joins a header that came twice with a comma, which then agrees with nothing. */
function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}

/** The refusal over HTTP, of what is not read or has no answer of its own. */
function refusedAtDoor(refusal: Refusal): Served {
  const { retryAfterSeconds } = refusal;
  const reply = refusedReply(refusal);
  const headers = [
    ...(reply.status === 401 ? ['WWW-Authenticate', 'Bearer error="invalid_token"'] : []),
    ...(retryAfterSeconds === undefined ? [] : ['Retry-After', String(retryAfterSeconds)]),
  ];
  return { reply: { ...reply, headers }, operation: 'mcp refused' };
}

/** An id that was understood is answered, unless it is itself the integer that a double cannot hold. */
function refusedBody({ refusal, value }: Extract<JsonBody, { ok: false }>): Reply {
  const { code, details = [] } = refusal;
  const id = details.some(({ path }) => path === 'id') ? null : idOf(value);
  return refusedReply(refusal, id, code === 'invalid_json' ? PARSE_ERROR : REFUSED);
}

function failed(error: unknown, { context, requestId }: Exchange): Served {
  logFailure(context.log, error, { requestId, operation: 'mcp' }, 'operation failed');
  return { reply: refusedReply(refusalFor(error, requestId), null, INTERNAL_ERROR), operation: 'mcp' };
}

const PREFLIGHT = [
  'Access-Control-Allow-Methods',
  'POST',
  'Access-Control-Allow-Headers',
  'Accept, Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, X-Request-Id',
  'Access-Control-Max-Age',
  '86400',
];

function allowReading({ headers }: Exchange, origin: string): void {
  headers.push('Access-Control-Allow-Origin', origin, 'Vary', 'Origin');
  headers.push(
    'Access-Control-Expose-Headers',
    'WWW-Authenticate, X-Request-Id, RateLimit, RateLimit-Policy',
  );
}

function foreignOrigin(): Reply {
  return refusedReply({ code: 'forbidden', message: 'Pages of this origin may not call this server' });
}

/** There is no stream to listen to and no session to end: GET and DELETE are for servers that have them. */
function postOnly(): Reply {
  const message = 'This address answers to POST only: it has no stream to GET and no session to DELETE';
  return { ...refusedReply({ code: 'method_not_allowed', message }), headers: ['Allow', 'POST, OPTIONS'] };
}

/** Writes answers, and one line of log for each. All but files and lists of lines (src/http) leave through here. */
import type { IncomingMessage } from 'node:http';
import { type Accepted, StoredJson, TextAnswer } from '../operations/operation.ts';
import type { Refusal } from '../operations/refusals.ts';
import { entityTag, matchesTag, storedTag } from './entity-tag.ts';
import { acceptedEnvelope, refusedEnvelope } from '../calling/envelope.ts';
import type { Exchange } from './exchange.ts';
import { REFUSAL_STATUS, RETRY_AFTER_DEFAULT_SECONDS } from './refusal-status.ts';
import type { LimitState } from '../calling/limits.ts';

/** How long an answer may be kept. Reads with a tag can be asked for again cheaply; everything else is for now alone. */
export interface Caching {
  readonly cacheControl: string;
  readonly tag: 'always' | 'with-revision' | 'never';
}

/** Where `created` addresses begin. */
const API_BASE = '/v1';

export function sendAccepted(exchange: Exchange, accepted: Accepted<unknown>, caching: Caching): void {
  const { headers } = exchange;
  const body = bodyOf(exchange, accepted);
  if (accepted.replayed) headers.push('Idempotent-Replayed', 'true');
  if (accepted.next !== undefined) headers.push('Link', nextLink(exchange.req.url ?? '', accepted.next));
  if (accepted.created !== undefined) headers.push('Location', API_BASE + accepted.created);
  const tagged =
    caching.tag === 'always' || (caching.tag === 'with-revision' && accepted.revision !== undefined);
  if (!tagged) headers.push('Cache-Control', 'no-store');
  else if (isKnownToClient(exchange, tagOf(accepted, body), caching)) return send(exchange, 304, '');
  send(exchange, statusOf(accepted), body, accepted.replayed === true);
}

type Next = NonNullable<Accepted<unknown>['next']>;

/** Of answers that come again, nearly always to the same address. */
const links = new WeakMap<Next, { readonly url: string; readonly link: string }>();

/**
 * The Link of an answer to `url` (RFC 8288), whose query is changed by `next`: clients that follow links need not know of
 * cursors. A reference without host holds behind any proxy.
 */
function nextLink(url: string, next: Next): string {
  const known = links.get(next);
  if (known?.url === url) return known.link;
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  for (const [name, value] of Object.entries(next)) searchParams.set(name, value);
  const link = `<${pathname}?${searchParams.toString()}>; rel="next"`;
  links.set(next, { url, link });
  return link;
}

function bodyOf({ headers }: Exchange, accepted: Accepted<unknown>): string | Buffer {
  const { data } = accepted;
  if (!(data instanceof TextAnswer)) return envelopeOf(accepted);
  // The block that every answer begins with says JSON.
  headers[headers.indexOf('Content-Type') + 1] = data.contentType;
  headers.push('Content-Disposition', `attachment; filename="${data.name}"`);
  return data.text;
}

/** Lists are answered by the same outcome as long as nothing in them changes: it is put together once. */
const listBodies = new WeakMap<Accepted<unknown>, Buffer>();

function envelopeOf(accepted: Accepted<unknown>): string | Buffer {
  const known = listBodies.get(accepted);
  if (known !== undefined) return known;
  const text = acceptedEnvelope(accepted);
  if (!(accepted.data instanceof StoredJson) || accepted.meta === undefined) return text;
  const bytes = Buffer.from(text);
  listBodies.set(accepted, bytes);
  return bytes;
}

/** What stands around a stored text in the envelope is always the same, and so plays no part in its tag. */
function tagOf({ data, meta, revision }: Accepted<unknown>, body: string | Buffer): string {
  const isStored = data instanceof StoredJson && meta === undefined && revision === undefined;
  return isStored ? storedTag(data.text) : entityTag(revision, body);
}

function statusOf({ created, accepted }: Accepted<unknown>): number {
  if (created !== undefined) return 201;
  return accepted === true ? 202 : 200;
}

/**
 * A document that is not in the envelope: the description of the API itself, a page, a file that pages use. What is the
 * same for everybody is made so once and kept: a connection can ask for a thousand of them in one piece, and to hash a
 * megabyte, or to write it as UTF-8, takes a millisecond.
 */
export interface TaggedText {
  readonly bytes: Buffer;
  readonly tag: string;
}

export function tagged(text: string | Buffer): TaggedText {
  const bytes = Buffer.from(text);
  return { bytes, tag: entityTag(undefined, bytes) };
}

export function sendText(exchange: Exchange, { bytes, tag }: TaggedText, caching: Caching): void {
  if (isKnownToClient(exchange, tag, caching)) send(exchange, 304, '');
  else send(exchange, 200, bytes);
}

/** Says how long the answer may be kept and what it is, and whether the client has said that it has just that. */
function isKnownToClient({ headers, req }: Exchange, tag: string, { cacheControl }: Caching): boolean {
  headers.push('Cache-Control', cacheControl, 'ETag', tag);
  return matchesTag(req.headers['if-none-match'], tag);
}

/** The no in the envelope, or as the text that says it there. */
export function sendRefusal(
  exchange: Exchange,
  refusal: Refusal,
  text = refusedEnvelope(refusal, exchange.requestId),
  status = REFUSAL_STATUS[refusal.code].status,
): void {
  const { headers } = exchange;
  headers.push('Cache-Control', 'no-store');
  if (status === 401) headers.push('WWW-Authenticate', 'Bearer');
  const retryAfterSeconds = refusal.retryAfterSeconds ?? RETRY_AFTER_DEFAULT_SECONDS[refusal.code];
  if (retryAfterSeconds !== undefined)
    headers.push('Retry-After', String(Math.max(1, Math.ceil(retryAfterSeconds))));
  if (refusal.code === 'range_not_satisfiable') headers.push('Content-Range', `bytes */${sizeIn(refusal)}`);
  send(exchange, status, text, false, refusal.code);
}

/** RFC 9110 §15.5.17: the size, by which the client can ask better. */
function sizeIn({ details }: Refusal): string {
  return details?.[0]?.limit ?? '*';
}

/** An answer without body: preflights. */
export function sendNothing(exchange: Exchange): void {
  send(exchange, 204, '');
}

/** An answer in a form of its own, as a page or a message of MCP, whose headers are all in the exchange. */
export function sendMessage(exchange: Exchange, status: number, text: string, code?: string): void {
  send(exchange, status, text, false, code);
}

function send(
  exchange: Exchange,
  status: number,
  body: string | Buffer,
  replayed = false,
  code?: string,
): void {
  const { headers } = exchange;
  const isCutShort = !exchange.req.complete && isWithoutRest(exchange, status);
  if (isCutShort) lingerAfterAnswer(exchange.req);
  if (isCutShort || exchange.context.isStopping()) headers.push('Connection', 'close');
  if (body !== '') headers.push('Content-Length', String(Buffer.byteLength(body)));
  atEndOfTurn(() => {
    write(exchange, status, body);
    logRequest(exchange, status, replayed, code);
  });
}

/** Whether the rest of the body is not waited for: too large, too slow, never asked for by a 100, or read in part. */
function isWithoutRest({ req }: Exchange, status: number): boolean {
  return status === 413 || status === 408 || req.headers.expect !== undefined || req.readableDidRead;
}

const LINGER_MS = 5_000;

/**
 * Has node, which closes this connection after the answer, first say that we are done and still read for a while: to
 * close while the client sends makes the network drop the answer that is on its way to it.
 */
function lingerAfterAnswer(req: IncomingMessage): void {
  const { socket } = req;
  // Who stopped reading half-way left it standing still. What was not read at all may wait for a 100 that never comes.
  if (req.readableDidRead) req.resume();
  socket.destroySoon = () => {
    socket.end();
    const giveUp = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(giveUp));
    req.once('end', () => socket.destroy());
  };
}

function write(exchange: Exchange, status: number, body: string | Buffer): void {
  const { context, res, requestId, operation } = exchange;
  try {
    res.writeHead(status, headersOf(exchange));
    res.end(body);
    if (res.writableLength > 0 && !res.writableFinished) context.unread.hold(res);
  } catch (error) {
    // A header field with a character that HTTP forbids: node refuses to write it.
    context.log.error({ err: error, requestId, operation }, 'answer failed');
    res.destroy();
  }
}

/** All that the answer's header says: what it was given, and how the limits stand. */
export function headersOf({ headers, limits }: Exchange): string[] {
  pushRateLimits(headers, limits);
  return headers;
}

/**
 * Limits told to clients as draft-ietf-httpapi-ratelimit-headers has it, and those of the Data API in the older form too.
 * Nothing where nothing was counted.
 */
export function pushRateLimits(headers: string[], states: readonly LimitState[]): void {
  if (states.length === 0) return;
  let [policies, left] = ['', ''];
  for (const { name, limit, windowSeconds, remaining, resetSeconds } of states) {
    const comma = policies === '' ? '' : ', ';
    policies += `${comma}"${name}";q=${limit};w=${windowSeconds}`;
    left += `${comma}"${name}";r=${remaining};t=${resetSeconds}`;
  }
  headers.push('RateLimit-Policy', policies, 'RateLimit', left);
  const month = states.find(({ name }) => name === 'month');
  const rate = states.find(({ name }) => name !== 'month');
  if (month === undefined || rate === undefined) return;
  headers.push(...olderForm('X-RateLimit', rate), ...olderForm('X-Quota', month));
}

function olderForm(prefix: string, { limit, remaining, resetAtSeconds = 0 }: LimitState): readonly string[] {
  return [
    `${prefix}-Limit`,
    String(limit),
    `${prefix}-Remaining`,
    String(remaining),
    `${prefix}-Reset`,
    String(resetAtSeconds),
  ];
}

export function logRequest(
  exchange: Exchange,
  status: number,
  replayed: boolean,
  code: string | undefined,
): void {
  const { context, req, operation, path, requestId, clientRequestId, keyId, startedMs } = exchange;
  context.log.request({
    requestId,
    clientRequestId,
    operation,
    method: req.method,
    route: path,
    status,
    code,
    durationMs: Math.round((performance.now() - startedMs) * 1_000) / 1_000,
    keyId: keyId ?? undefined,
    replayed: replayed || undefined,
    gone: exchange.res.destroyed || undefined,
  });
}

const waiting: (() => void)[] = [];

/**
 * Puts work that must not throw off to the end of this turn of the event loop. A peer that waits on the same machine is
 * woken once by the first answer and finds the others there, where each by itself would wake it again, and that is
 * dearer than all the rest of an answer from a stored text.
 */
function atEndOfTurn(work: () => void): void {
  if (waiting.push(work) === 1) setImmediate(doAll);
}

function doAll(): void {
  for (const work of waiting.splice(0)) work();
}

/** The HTTP side of the service: what is asked goes to the fast path or to Express; an orderly start and stop. */
import { setTimeout as pause } from 'node:timers/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createExpressApp } from './express-app.ts';
import type { Log } from '../logging/log.ts';
import { refuse } from '../operations/refusals.ts';
import type { Services } from '../operations/services.ts';
import type { Limiter } from '../ports/limiter.ts';
import { createSite, endpointsOf } from './endpoints.ts';
import { createUnknownAddress } from '../web/site/unknown-address.ts';
import { type AccountBounds, createAccountLimits } from '../calling/account-limits.ts';
import { type AddressBounds, createAddressLimits } from '../calling/address-limits.ts';
import { apiEndpoints } from '../http/endpoints.ts';
import { beginExchange, type HttpContext, type MonitorCheck } from '../transport/exchange.ts';
import { createConnections, type ConnectionBounds } from './connections.ts';
import { KEYED_HEADERS, transportHeaders } from '../transport/header-blocks.ts';
import { createFastPath } from './fast-path.ts';
import { type Answer, inTurns } from './request-turns.ts';
import { createBrokenRequestAnswer } from './broken-request.ts';

import type { Route } from '../transport/route.ts';
import { isOfDataApi, refuseBrokenDataRequest } from '../transport/data-requests.ts';
import { monitoringRoutes, routes as allRoutes } from '../http/routes.ts';
import { isChunked, MAX_HEAD_BYTES } from '../transport/body.ts';
import { joinChunks } from '../transport/joined-chunks.ts';
import { sendRefusal } from '../transport/send.ts';
import { createUnreadAnswers } from '../transport/unread-answers.ts';

/** A request's header must have come after this. */
const HEADERS_TIMEOUT_MS = 10_000;
/** The whole of a request: 100 MiB on a slow line. JSON bodies have less time (body.ts). */
const REQUEST_TIMEOUT_MS = 15 * 60_000;
/** Longer than the 60 s after which common load balancers let idle connections go, so that they do it first. */
export const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const CHECK_EVERY_MS = 5_000;
/** On which nothing comes and nothing goes for so long, that connection is closed: longer than any answer waits. */
const STILL_AFTER_MS = 2 * 60_000;
/** Requests in flight have so long to finish when the service stops. */
export const STOP_TIMEOUT_MS = 10_000;
const FAREWELL_LOOK_MS = 20;

export interface HttpParts {
  readonly services: Services;
  readonly limiter: Limiter;
  /** Public reads of one client address in the limiter's window. */
  readonly publicRateLimit: number;
  readonly trustProxyHops: number;
  /** What one account may do with its keys. */
  readonly accountBounds: AccountBounds;
  /** What one client address may do beside public reads. */
  readonly addressBounds: Omit<AddressBounds, 'reads'>;
  readonly connectionBounds: ConnectionBounds;
  /** Who may see how the process is inside; nobody if absent. */
  readonly isMonitor?: MonitorCheck;
  readonly log: Log;
  readonly routes?: readonly Route[];
  /** Whether it answers more than what monitoring asks (default true). */
  readonly isServing?: boolean;
  /** How long connections that are kept alive may take their last answer when the service stops (default 0). */
  readonly farewellMs?: number;
  /** Unix time in milliseconds; the machine's clock if absent. */
  readonly now?: () => number;
}

export interface HttpServer {
  /** Resolves with the port once requests are accepted, by default from this machine alone. */
  readonly listen: (port: number, host?: string) => Promise<number>;
  /** Accepts nothing more, finishes what is in flight (for 10 s at most), and resolves when all is let go. */
  readonly stop: () => Promise<void>;
}

export function createHttpServer(parts: HttpParts): HttpServer {
  let stopping = false;
  const context: HttpContext = {
    services: parts.services,
    accountLimits: createAccountLimits(parts.accountBounds),
    addressLimits: createAddressLimits(parts.limiter, {
      ...parts.addressBounds,
      reads: parts.publicRateLimit,
    }),
    trustProxyHops: parts.trustProxyHops,
    unread: createUnreadAnswers(),
    transportHeaders: transportHeaders(parts.services.baseUrl),
    isMonitor: parts.isMonitor ?? (() => false),
    log: parts.log,
    now: parts.now ?? Date.now,
    isStopping: () => stopping,
  };
  const site = createSite(context);
  const endpoints =
    parts.isServing === false
      ? apiEndpoints(monitoringRoutes, context)
      : endpointsOf(parts.routes ?? allRoutes, site);
  const app = createExpressApp(endpoints, createUnknownAddress(site), context);
  const takeFastPath = createFastPath(endpoints);
  const connections = createConnections(parts.connectionBounds);
  const begin: Answer = (req, res) => {
    const fault = faultOfHead(req);
    if (fault !== null) refuseHead(req, res, context, fault);
    else if (!takeFastPath(req, res)) app(req, res);
  };
  const inItsTurn = inTurns(begin, connections, parts.trustProxyHops);
  const answer: Answer = (req, res) => {
    if (isChunked(req)) joinChunks(req, res);
    inItsTurn(req, res);
  };
  const server = createServer(
    {
      // Node would refuse these by itself, without the envelope and without a request id.
      requireHostHeader: false,
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      // By default node looks twice a minute whose time for a header is over.
      connectionsCheckingInterval: CHECK_EVERY_MS,
    },
    answer,
  );
  // An expectation that nobody knows may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', answer);
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    continueWhenRead(req, res);
    answer(req, res);
  });
  server.on('clientError', createBrokenRequestAnswer(context.transportHeaders));
  server.setTimeout(STILL_AFTER_MS);
  connections.bound(server);
  return {
    listen: (port, host = '127.0.0.1') => listen(server, port, host),
    async stop() {
      stopping = true;
      parts.services.jobWatch.dismiss();
      await unconnected(server, parts.farewellMs ?? 0);
      await stop(server);
    },
  };
}

/** Asks for the body (100) when something begins to read it, in whichever way; what is refused before is never sent. */
function continueWhenRead(req: IncomingMessage, res: ServerResponse): void {
  const read = req._read.bind(req);
  req._read = (size) => {
    req._read = read;
    if (!res.headersSent) res.writeContinue();
    read(size);
  };
}

/** What is wrong with the head of a request, beyond what Node's parser refuses (RFC 9112, 3.2). */
function faultOfHead({ headers, rawHeaders, httpVersion, url = '' }: IncomingMessage): string | null {
  if (headers.host === undefined && httpVersion === '1.1') return 'The request has no Host header.';
  const doubled = doubledHeader(rawHeaders);
  if (doubled !== null) return `The request has two ${doubled} headers, and may have one.`;
  // What it cannot parse Express would answer by itself, without the envelope.
  const isAddress = url.startsWith('/') || url === '*' || URL.canParse(url);
  return isAddress ? null : 'The request names no address.';
}

/**
 * Headers of which there may be one, and of which node silently takes the first or joins all. No two are of the same
 * length, so that most names are told apart without being read.
 */
const SINGLE_BY_LENGTH = new Map(
  ['Host', 'Authorization', 'Content-Type', 'Idempotency-Key'].map((name, place) => [
    name.length,
    { name, lower: name.toLowerCase(), bit: 1 << place },
  ]),
);

/**
 * The first header that comes twice and must not, or null. Two readers of one request, such as a proxy and we, could
 * each go by another of the two.
 *
 * @param rawHeaders names and values in turn, as node gives them
 */
function doubledHeader(rawHeaders: readonly string[]): string | null {
  let seen = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] ?? '';
    const single = SINGLE_BY_LENGTH.get(sent.length);
    if (single === undefined || sent.toLowerCase() !== single.lower) continue;
    if ((seen & single.bit) !== 0) return single.name;
    seen |= single.bit;
  }
  return null;
}

function refuseHead(req: IncomingMessage, res: ServerResponse, context: HttpContext, fault: string): void {
  const exchange = beginExchange(context, req, res, 'unknownAddress', '*', KEYED_HEADERS);
  const { refusal } = refuse('invalid_request', fault);
  if (isOfDataApi(req.url)) void refuseBrokenDataRequest(exchange, refusal);
  else sendRefusal(exchange, refusal);
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : port);
    });
  });
}

/**
 * Resolves when nobody is connected any more, or after the time. Every answer by now says that it is the connection's
 * last; whoever sent a request at the very moment of a close would never have one.
 */
async function unconnected(server: Server, withinMs: number): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (performance.now() < endMs && (await connections(server)) > 0) await pause(FAREWELL_LOOK_MS);
}

function connections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const giveUp = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT_MS);
    server.close(() => {
      clearTimeout(giveUp);
      resolve();
    });
    server.closeIdleConnections();
  });
}

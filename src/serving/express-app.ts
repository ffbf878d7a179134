/** Endpoints and pages in Express, for whatever the fast path leaves alone. */
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { refusalFor } from '../calling/failure.ts';
import { logFailure } from '../logging/failures.ts';
import { refuse } from '../operations/refusals.ts';
import { isOfDataApi, refuseDataRequest } from '../transport/data-requests.ts';
import type { Endpoint } from '../transport/endpoint.ts';
import { beginExchange, type HttpContext, type Handler } from '../transport/exchange.ts';
import { KEYED_HEADERS } from '../transport/header-blocks.ts';
import { sendRefusal } from '../transport/send.ts';

export function createExpressApp(
  endpoints: readonly Endpoint[],
  unknown: Handler,
  context: HttpContext,
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  // One address for one thing: /v1/agents/ and /V1/agents are not /v1/agents.
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  for (const { path, wildcard, handle } of endpoints) {
    app.all(expressPath(path, wildcard), (req, res) => handle(req, res, singleValues(req.params)));
  }
  app.use((req: Request, res: Response) => unknown(req, res, {}));
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) =>
    failedInExpress(error, req, res, context),
  );
  return app;
}

/** What Express throws by itself is an address that is not validly percent-encoded. */
function failedInExpress(error: unknown, req: Request, res: Response, context: HttpContext): void {
  const exchange = beginExchange(context, req, res, 'unknownAddress', '*', KEYED_HEADERS);
  if (error instanceof URIError) {
    const { refusal } = refuse('invalid_request', 'The address is not validly percent-encoded.');
    if (isOfDataApi(req.url)) return void refuseDataRequest(exchange, refusal);
    return sendRefusal(exchange, refusal);
  }
  logFailure(context.log, error, { requestId: exchange.requestId }, 'page failed');
  if (res.headersSent) res.destroy();
  else sendRefusal(exchange, refusalFor(error, exchange.requestId));
}

/** `/v1/agents/{slug}` as Express writes it: `/v1/agents/:slug`, or `/v1/agents/*slug` for a wildcard. */
function expressPath(path: string, wildcard = false): string {
  const last = wildcard ? path.replace(/\{(\w+)\}$/, '*$1') : path;
  return last.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Express decodes each segment, and gives those of a wildcard one by one. */
function singleValues(params: Request['params']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, Array.isArray(value) ? value.join('/') : value]),
  );
}

/** The endpoints of the REST API and of its description. */
import { logFailure } from '../logging/failures.ts';
import { keptOnce } from '../timing/kept.ts';
import { createEndpoint, type Endpoint } from '../transport/endpoint.ts';
import { refusalOfKey } from '../calling/admission.ts';
import { beginExchange, type HttpContext, type Handler } from '../transport/exchange.ts';
import { refusalFor } from '../calling/failure.ts';
import { type Described, descriptions } from './openapi/descriptions.ts';
import { createHandler } from './handler.ts';
import { HttpCaller } from '../transport/http-caller.ts';
import { PUBLIC_HEADERS } from '../transport/header-blocks.ts';
import type { Route } from '../transport/route.ts';
import { sendRefusal, sendText, tagged, type TaggedText } from '../transport/send.ts';

export function apiEndpoints(routes: readonly Route[], context: HttpContext): Endpoint[] {
  const byPath = new Map<string, Route[]>();
  for (const route of routes) byPath.set(route.path, [...(byPath.get(route.path) ?? []), route]);
  return [...byPath].map(([path, siblings]) => {
    const handlers = Object.fromEntries(
      siblings.map((route) => [route.method, createHandler(route, context)]),
    );
    const crossOrigin = siblings.some((route) => route.isPublicRead);
    return createEndpoint(context, path, handlers, {
      fastPath: siblings.some((route) => route.fastPath),
      wildcard: siblings.some((route) => route.wildcard),
      metered: siblings.some((route) => route.operation.metered !== undefined),
      crossOrigin,
    });
  });
}

const DESCRIPTION_CACHING = { cacheControl: 'public, max-age=300', tag: 'always' } as const;

/** A description is put together when it is first asked for: no start waits for it, nor for what makes it. */
export function descriptionEndpoints(routes: readonly Route[], context: HttpContext): Endpoint[] {
  return descriptions.flatMap((described) => {
    const description = keptOnce(() => describe(routes, described));
    return described.paths.map((path) => {
      const get: Handler = (req, res) => {
        const exchange = beginExchange(context, req, res, 'getOpenApi', path, PUBLIC_HEADERS);
        Promise.all([description(), refusalOfKey(new HttpCaller(exchange))])
          .then(([text, refusal]) => {
            if (refusal !== null) sendRefusal(exchange, refusal);
            else sendText(exchange, text, DESCRIPTION_CACHING);
          })
          .catch((error: unknown) => {
            const { requestId, operation } = exchange;
            logFailure(context.log, error, { requestId, operation }, 'operation failed');
            sendRefusal(exchange, refusalFor(error, requestId));
          });
      };
      return createEndpoint(context, path, { GET: get }, { crossOrigin: true });
    });
  });
}

async function describe(routes: readonly Route[], { includes, info }: Described): Promise<TaggedText> {
  const { openApiText } = await import('./openapi/document.ts');
  return tagged(openApiText(routes.filter(includes), info));
}

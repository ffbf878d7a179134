/** The addresses of the REST API, of its description, and of nothing. */
import { refuse } from '../operations/refusals.ts';
import { createAddress, type Address } from './address.ts';
import { beginExchange, type Edge, type Handler } from './exchange.ts';
import { createHandler } from './handler.ts';
import { KEYED_HEADERS, PUBLIC_HEADERS } from './header-blocks.ts';
import { openApiText } from './openapi/document.ts';
import type { Route } from './route.ts';
import { sendRefusal, sendText } from './send.ts';

export function apiAddresses(routes: readonly Route[], edge: Edge): Address[] {
  const byPath = new Map<string, Route[]>();
  for (const route of routes) byPath.set(route.path, [...(byPath.get(route.path) ?? []), route]);
  return [...byPath].map(([path, siblings]) => {
    const handlers = Object.fromEntries(siblings.map((route) => [route.method, createHandler(route, edge)]));
    const crossOrigin = siblings.some((route) => route.isPublicRead);
    return createAddress(edge, path, handlers, { hot: siblings.some((route) => route.hot), crossOrigin });
  });
}

const DESCRIPTION_PATHS = ['/openapi.json', '/v1/openapi.json'];
const DESCRIPTION_CACHING = { cacheControl: 'public, max-age=300', tag: 'always' } as const;

export function descriptionAddresses(routes: readonly Route[], edge: Edge): Address[] {
  let made: string | undefined;
  /** Put together when it is first asked for: no start waits for it. */
  const text = (): string => (made ??= openApiText(routes));
  return DESCRIPTION_PATHS.map((path) => {
    const get: Handler = (req, res) => {
      const exchange = beginExchange(edge, req, res, 'getOpenApi', path, PUBLIC_HEADERS);
      sendText(exchange, text(), DESCRIPTION_CACHING);
    };
    return createAddress(edge, path, { GET: get }, { crossOrigin: true });
  });
}

/** For an address that nothing answers to. */
export function createNotFound(edge: Edge): Handler {
  return (req, res) => {
    const exchange = beginExchange(edge, req, res, 'unknownAddress', '*', KEYED_HEADERS);
    sendRefusal(exchange, refuse('not_found', 'There is nothing at this address.').refusal);
  };
}

/** Routes by address: one handler for each path, which knows the path's methods. */
import { refuse } from '../operations/refusals.ts';
import { beginExchange, type Edge, type Handler } from './exchange.ts';
import { isPublicRead } from './caching.ts';
import { createHandler } from './handler.ts';
import { KEYED_HEADERS, PREFLIGHT_HEADERS, PUBLIC_HEADERS } from './header-blocks.ts';
import type { Route } from './route.ts';
import { sendNothing, sendRefusal, sendText } from './send.ts';

export interface Address {
  /** Such as `/v1/agents/{slug}`. */
  readonly path: string;
  readonly hot: boolean;
  readonly handle: Handler;
}

export function addressesOf(routes: readonly Route[], edge: Edge): Address[] {
  const byPath = new Map<string, Route[]>();
  for (const route of routes) byPath.set(route.path, [...(byPath.get(route.path) ?? []), route]);
  return [...byPath].map(([path, siblings]) => ({
    path,
    hot: siblings.some((route) => route.hot),
    handle: byMethod(path, handlersOf(siblings, edge), siblings.some(hasPublicRead), edge),
  }));
}

function handlersOf(routes: readonly Route[], edge: Edge): Map<string, Handler> {
  return new Map(routes.map((route) => [route.method, createHandler(route, edge)]));
}

function hasPublicRead(route: Route): boolean {
  return isPublicRead(route.operation);
}

/** For an address that nothing answers to. */
export function createNotFound(edge: Edge): Handler {
  return (req, res) => {
    const exchange = beginExchange(edge, req, res, 'unknownAddress', '*', KEYED_HEADERS);
    sendRefusal(exchange, refuse('not_found', 'There is nothing at this address.').refusal);
  };
}

/** An address that answers with a text of its own rather than in the envelope. */
export function createDocumentAddress(edge: Edge, document: ServedDocument): Address {
  const { path, name, cacheSeconds } = document;
  const caching = { cacheControl: `public, max-age=${cacheSeconds}`, tag: 'always' } as const;
  const handle: Handler = (req, res) => {
    sendText(beginExchange(edge, req, res, name, path, PUBLIC_HEADERS), document.text(), caching);
  };
  return { path, hot: false, handle: byMethod(path, new Map([['GET', handle]]), true, edge) };
}

export interface ServedDocument {
  readonly path: string;
  /** For the log, in place of an operation's name. */
  readonly name: string;
  readonly cacheSeconds: number;
  readonly text: () => string;
}

function byMethod(path: string, handlers: Map<string, Handler>, isPublic: boolean, edge: Edge): Handler {
  const get = handlers.get('GET');
  // Node leaves the body out of the answer to a HEAD by itself.
  if (get) handlers.set('HEAD', get);
  const allow = [...handlers.keys(), 'OPTIONS'].join(', ');
  handlers.set('OPTIONS', (req, res) => {
    const exchange = beginExchange(edge, req, res, 'preflight', path, isPublic ? PREFLIGHT_HEADERS : []);
    exchange.headers.push('Allow', allow);
    sendNothing(exchange);
  });
  const refuseMethod: Handler = (req, res) => {
    const exchange = beginExchange(
      edge,
      req,
      res,
      'unknownMethod',
      path,
      isPublic ? PUBLIC_HEADERS : KEYED_HEADERS,
    );
    exchange.headers.push('Allow', allow);
    sendRefusal(exchange, refuse('method_not_allowed', `This address answers to ${allow}.`).refusal);
  };
  return (req, res, params) => (handlers.get(req.method ?? '') ?? refuseMethod)(req, res, params);
}

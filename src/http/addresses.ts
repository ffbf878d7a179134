/** Routes by address: one handler for each path, which knows the path's methods. */
import { refuse } from '../operations/refusals.ts';
import { beginExchange, type Edge, type Handler } from './exchange.ts';
import { createHandler, isPublicRead } from './handler.ts';
import { KEYED_HEADERS, PREFLIGHT_HEADERS } from './header-blocks.ts';
import type { Route } from './route.ts';
import { sendNothing, sendRefusal } from './send.ts';

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
    handle: byMethod(path, siblings, edge),
  }));
}

/** For an address that nothing answers to. */
export function createNotFound(edge: Edge): Handler {
  return (req, res) => {
    const exchange = beginExchange(edge, req, res, 'unknownAddress', '*', KEYED_HEADERS);
    sendRefusal(exchange, refuse('not_found', 'There is nothing at this address.').refusal);
  };
}

function byMethod(path: string, routes: readonly Route[], edge: Edge): Handler {
  const handlers = new Map<string, Handler>(
    routes.map((route) => [route.method, createHandler(route, edge)]),
  );
  const get = handlers.get('GET');
  // Node leaves the body out of the answer to a HEAD by itself.
  if (get) handlers.set('HEAD', get);
  const allow = [...handlers.keys(), 'OPTIONS'].join(', ');
  handlers.set('OPTIONS', createPreflight(path, allow, routes, edge));
  const refuseMethod: Handler = (req, res) => {
    const exchange = beginExchange(edge, req, res, 'unknownMethod', path, KEYED_HEADERS);
    exchange.headers.push('Allow', allow);
    sendRefusal(exchange, refuse('method_not_allowed', `This address answers to ${allow}.`).refusal);
  };
  return (req, res, params) => (handlers.get(req.method ?? '') ?? refuseMethod)(req, res, params);
}

function createPreflight(path: string, allow: string, routes: readonly Route[], edge: Edge): Handler {
  const block = routes.some((route) => isPublicRead(route.operation)) ? PREFLIGHT_HEADERS : [];
  return (req, res) => {
    const exchange = beginExchange(edge, req, res, 'preflight', path, block);
    exchange.headers.push('Allow', allow);
    sendNothing(exchange);
  };
}

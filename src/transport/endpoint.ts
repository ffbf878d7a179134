/** One path and its methods. */
import { refuse } from '../operations/refusals.ts';
import { answerDataOptions, refuseDataRequest } from './data-requests.ts';
import { beginExchange, type HttpContext, type Handler } from './exchange.ts';
import { KEYED_HEADERS, KEYED_OPTIONS_HEADERS, PREFLIGHT_HEADERS, PUBLIC_HEADERS } from './header-blocks.ts';
import { sendNothing, sendRefusal } from './send.ts';

export interface Endpoint {
  /** Such as `/v1/agents/{slug}`. */
  readonly path: string;
  /** Whether it is answered before Express. */
  readonly fastPath: boolean;
  /** Whether its last parameter may hold slashes. */
  readonly wildcard?: boolean;
  readonly handle: Handler;
}

export interface EndpointOptions {
  readonly fastPath?: boolean;
  readonly wildcard?: boolean;
  /** Whether it is of the Data API, and whatever is asked there counts against the plan of an account. */
  readonly metered?: boolean;
  /** Whether scripts of any origin may read it. */
  readonly crossOrigin?: boolean;
}

/** Adds HEAD where there is GET, OPTIONS, and the refusal of every other method. */
export function createEndpoint(
  context: HttpContext,
  path: string,
  handlers: Readonly<Record<string, Handler>>,
  { fastPath = false, wildcard = false, metered = false, crossOrigin = false }: EndpointOptions = {},
): Endpoint {
  const byMethod = new Map(Object.entries(handlers));
  const get = byMethod.get('GET');
  // Node leaves the body out of the answer to a HEAD by itself.
  if (get) byMethod.set('HEAD', get);
  const allow = [...byMethod.keys(), 'OPTIONS'].join(', ');
  byMethod.set('OPTIONS', (req, res) => {
    const block = crossOrigin ? PREFLIGHT_HEADERS : KEYED_OPTIONS_HEADERS;
    const exchange = beginExchange(context, req, res, 'preflight', path, block);
    exchange.headers.push('Allow', allow);
    if (metered) void answerDataOptions(exchange);
    else sendNothing(exchange);
  });
  const refuseMethod: Handler = (req, res) => {
    const block = crossOrigin ? PUBLIC_HEADERS : KEYED_HEADERS;
    const exchange = beginExchange(context, req, res, 'unknownMethod', path, block);
    exchange.headers.push('Allow', allow);
    const { refusal } = refuse('method_not_allowed', `This address answers to ${allow}.`);
    if (metered) void refuseDataRequest(exchange, refusal);
    else sendRefusal(exchange, refusal);
  };
  return {
    path,
    fastPath,
    wildcard,
    handle: (req, res, params) => (byMethod.get(req.method ?? '') ?? refuseMethod)(req, res, params),
  };
}

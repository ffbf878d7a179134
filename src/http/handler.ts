/**
 * The one wrapper: everything that is true of every operation over HTTP happens here, in this order: rate, key,
 * scope, body, idempotency, input, run, answer. It works on plain node requests, inside Express or before it.
 */
import { logFailure } from '../failures.ts';
import { FileAnswer, LinesAnswer, type Outcome } from '../operations/operation.ts';
import { refuse, type Refusal } from '../operations/refusals.ts';
import { lackedScope, scopeMissing } from '../calling/run-operation.ts';
import type { Demand } from '../calling/account-limits.ts';
import {
  admitCaller,
  admitReader,
  giveBackUnsent,
  keptBytes,
  oftenEnough,
  ONE_REQUEST,
} from '../transport/admission.ts';
import { authenticateHeader } from '../transport/bearer.ts';
import { cachingOf, type Caching } from './caching.ts';
import { beginExchange, type Edge, type Exchange, type Handler } from '../transport/exchange.ts';
import { refusalFor } from '../calling/failure.ts';
import { KEYED_HEADERS, PUBLIC_HEADERS } from '../transport/header-blocks.ts';
import { HttpCall, uploadOf } from '../transport/http-call.ts';
import { identify } from '../calling/idempotency.ts';
import { gatherInput, type PathParameters } from '../transport/request-input.ts';
import type { Route } from './route.ts';
import { sendAccepted, sendRefusal } from '../transport/send.ts';
import { sendFile } from './send-file.ts';
import { sendLines } from './send-lines.ts';

export function createHandler(route: Route, edge: Edge): Handler {
  const { operation, path } = route;
  const caching = cachingOf(route);
  const headerBlock = route.isPublicRead && !route.sealed ? PUBLIC_HEADERS : KEYED_HEADERS;
  return (req, res, params) => {
    const exchange = beginExchange(edge, req, res, operation.name, path, headerBlock);
    answer(route, exchange, params, caching).catch((error: unknown) => {
      edge.log.error(
        { err: error, requestId: exchange.requestId, operation: operation.name },
        'answer failed',
      );
      res.destroy();
    });
  };
}

async function answer(
  route: Route,
  exchange: Exchange,
  params: PathParameters,
  caching: Caching,
): Promise<void> {
  let outcome: Outcome<unknown>;
  try {
    outcome = await askOperation(route, exchange, params);
  } catch (error) {
    const { edge, requestId, operation } = exchange;
    logFailure(edge.log, error, { requestId, operation }, 'operation failed');
    outcome = { ok: false, refusal: refusalFor(error, requestId) };
  }
  if (outcome.ok && outcome.data instanceof FileAnswer) await sendFile(exchange, outcome.data);
  else if (outcome.ok && outcome.data instanceof LinesAnswer) await sendLines(exchange, outcome.data);
  else if (outcome.ok) sendAccepted(exchange, outcome, caching);
  else sendRefusal(exchange, await oftenEnough(exchange, outcome.refusal));
}

/** The operation's outcome for this request, once rate, key, scope and input allow it. Writes nothing but headers. */
export async function askOperation(
  route: Route,
  exchange: Exchange,
  params: PathParameters,
): Promise<Outcome<unknown>> {
  const { edge, req, at } = exchange;
  const { operation } = route;
  if (route.limited) {
    const refusal = await admitReader(exchange);
    if (refusal) return { ok: false, refusal };
  }
  const { scope, orScope } = operation;
  if (route.isOurs !== null) {
    const refusal = await addressRefusal(route.isOurs(params, edge.services), exchange);
    if (refusal) return { ok: false, refusal };
  }
  if (scope === null) return run(route, exchange, params, null);

  const authentication = await authenticateHeader(req.headers.authorization, at, edge.authenticate);
  if (!authentication.ok) return authentication;
  const { caller } = authentication;
  exchange.keyId = caller.keyId;
  const lacking = lackedScope({ scope, orScope }, caller);
  // What a key may not do is a request, and uses up neither trials nor bytes of the account's other keys.
  const demand = lacking === null ? demandOf(route, exchange) : ONE_REQUEST;
  const refusal = admitCaller(exchange, caller, demand);
  if (refusal) return { ok: false, refusal };
  if (lacking !== null) return scopeMissing(lacking, caller);
  return run(route, exchange, params, caller);
}

function demandOf(route: Route, { req }: Exchange): Demand {
  return { requests: 1, trials: route.operation.makesTrial ? 1 : 0, bytes: keptBytes(route, req) };
}

/** What is said to an address whose credential is not ours, or to one that is and comes too often. */
async function addressRefusal(isOurs: boolean, { edge, req, nowMs }: Exchange): Promise<Refusal | null> {
  if (isOurs) return edge.addressLimits.posted(req, nowMs);
  const { refusal } = refuse('not_found', 'There is nothing at this address.');
  return edge.addressLimits.failed(req, nowMs, refusal);
}

async function run(
  route: Route,
  exchange: Exchange,
  params: PathParameters,
  caller: HttpCall['caller'],
): Promise<Outcome<unknown>> {
  const { edge, req, res, requestId, at } = exchange;
  const input = await gatherInput(req, route, params, (bytes) => {
    if (caller !== null)
      giveBackUnsent(exchange, caller, keptBytes(route, req), keptBytes(route, req, bytes));
  });
  if (!input.ok) return input;
  const identity = identify(req.headers['idempotency-key'], route.operation, caller, input.value);
  if (!identity) {
    return refuse('invalid_request', 'Idempotency-Key must be 1 to 255 visible ASCII characters.', {
      details: [{ path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }],
    });
  }
  const call = new HttpCall(res, requestId, at, caller, identity, {
    ifNoneMatch: req.headers['if-none-match'],
    text: input.text,
    upload: route.bytes === 'in' ? uploadOf(req) : undefined,
    isMonitor: route.tellsMonitors ? edge.isMonitor(req) : undefined,
  });
  const invoked = await route.invoke(input.value, call, edge.services, input.faults);
  if (!('faults' in invoked)) return invoked;
  if (route.sealed) {
    return refuse('forbidden', 'This address is not as we signed it.');
  }
  // An id or slug in the path that is not even well formed names nothing that exists.
  const isAbsent =
    input.faults.length === 0 && invoked.faults.every(({ path }) => route.lookedUp.includes(path));
  if (isAbsent) {
    return refuse('not_found', 'There is nothing at this address.', { details: invoked.faults });
  }
  return refuse('invalid_request', `The request is not valid: ${describe(invoked.faults[0])}.`, {
    details: invoked.faults,
  });
}

function describe(fault: { path: string; message: string } | undefined): string {
  return fault ? `${fault.path || 'the body'} ${fault.message}` : 'see details';
}

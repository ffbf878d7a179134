/** A public text at an address, a page or a file for machines: tagged, cached and refused the same way everywhere. */
import { logFailure } from '../logging/failures.ts';
import { createEndpoint, type Endpoint } from '../transport/endpoint.ts';
import { admitRequest } from '../calling/admission.ts';
import { beginExchange, type HttpContext, type Exchange } from '../transport/exchange.ts';
import { HttpCaller } from '../transport/http-caller.ts';
import { refusalFor } from '../calling/failure.ts';
import { REFUSAL_STATUS, RETRY_AFTER_DEFAULT_SECONDS } from '../transport/refusal-status.ts';
import { sendMessage, sendText } from '../transport/send.ts';
import type { Refusal } from '../operations/refusals.ts';

export type PathParameters = Readonly<Record<string, string>>;

export type Made =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly refusal: Refusal };

/** A text that says no, with the status it says it by. */
export interface Refused {
  readonly status: number;
  readonly text: string;
}

export interface PublicText {
  readonly path: string;
  /** For the log. */
  readonly name: string;
  /** Header fields of every answer: what it is, and what a browser may do with it. */
  readonly headers: readonly string[];
  readonly cacheControl: string;
  /** Whether scripts of any origin may read it. */
  readonly crossOrigin?: boolean;
  readonly make: (exchange: Exchange, params: PathParameters) => Promise<Made>;
  readonly refuse: (refusal: Refusal, params: PathParameters) => Refused | Promise<Refused>;
}

export function textEndpoint(context: HttpContext, text: PublicText): Endpoint {
  const { path, name, headers, crossOrigin = false } = text;
  const get = (...[req, res, params]: Parameters<Endpoint['handle']>): void => {
    const exchange = beginExchange(context, req, res, name, path, headers);
    answer(exchange, text, params)
      .catch((error: unknown) => {
        logFailure(context.log, error, { requestId: exchange.requestId, operation: name }, 'text failed');
        return refuse(exchange, text, refusalFor(error, exchange.requestId), params);
      })
      .catch((error: unknown) => {
        logFailure(context.log, error, { requestId: exchange.requestId, operation: name }, 'refusal failed');
        res.destroy();
      });
  };
  return createEndpoint(context, path, { GET: get }, { crossOrigin });
}

async function answer(exchange: Exchange, text: PublicText, params: PathParameters): Promise<void> {
  const made = await text.make(exchange, params);
  if (made.ok) sendText(exchange, made.text, { cacheControl: text.cacheControl, tag: 'always' });
  else await refuse(exchange, text, made.refusal, params);
}

async function refuse(
  exchange: Exchange,
  { refuse: say }: PublicText,
  refusal: Refusal,
  params: PathParameters,
): Promise<void> {
  const { code, retryAfterSeconds = RETRY_AFTER_DEFAULT_SECONDS[code] } = refusal;
  const { status, text } = await say(refusal, params);
  exchange.headers.push('Cache-Control', 'no-store');
  if (status === 401) exchange.headers.push('WWW-Authenticate', 'Bearer');
  if (retryAfterSeconds !== undefined) {
    exchange.headers.push('Retry-After', String(Math.max(1, Math.ceil(retryAfterSeconds))));
  }
  sendMessage(exchange, status, text, code);
}

/** Makes it unless this client has come too often; for texts that have no operation behind them to count. */
export async function countedText(exchange: Exchange, make: () => string | Promise<string>): Promise<Made> {
  const refusal = await admitRequest(new HttpCaller(exchange));
  return refusal === null ? { ok: true, text: await make() } : { ok: false, refusal };
}

/** The no as a line of plain text. */
export function plainRefusal({ code, message }: Refusal): Refused {
  return { status: REFUSAL_STATUS[code].status, text: `${message}\n` };
}

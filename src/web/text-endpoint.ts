/** A public text at an address, a page or a file for machines: tagged, cached and refused the same way everywhere. */
import { logFailure } from '../logging/failures.ts';
import { createEndpoint, type Endpoint } from '../transport/endpoint.ts';
import { admitRequest } from '../calling/admission.ts';
import { beginExchange, type HttpContext, type Exchange } from '../transport/exchange.ts';
import { HttpCaller } from '../transport/http-caller.ts';
import { refusalFor } from '../calling/failure.ts';
import { sendRefusal, sendText, tagged } from '../transport/send.ts';
import type { Refusal, Refused } from '../operations/refusals.ts';
import type { PathParameters } from '../transport/request-input.ts';

export type Made = { readonly ok: true; readonly text: string } | Refused;

/** What there is once in each form of text: pages, Markdown, files for machines. */
export interface TextForm {
  /** Header fields of every answer: what it is, and what a browser may do with it. */
  readonly headers: readonly string[];
  readonly cacheControl: string;
  /** Whether scripts of any origin may read it. */
  readonly crossOrigin?: boolean;
  /** How it says no; a line of plain text if absent. */
  readonly refused?: (refusal: Refusal) => string;
}

export interface PublicText extends TextForm {
  readonly path: string;
  /** For the log. */
  readonly name: string;
  readonly make: (exchange: Exchange, params: PathParameters) => Promise<Made>;
  /** What stands in the place of something that is gone for good; undefined if it never was. */
  readonly gone?: (params: PathParameters) => Promise<string | undefined>;
}

export function textEndpoint(context: HttpContext, text: PublicText): Endpoint {
  const { path, name, headers, crossOrigin = false } = text;
  const get: Endpoint['handle'] = (req, res, params) => {
    const exchange = beginExchange(context, req, res, name, path, headers);
    const { requestId } = exchange;
    answer(exchange, text, params)
      .catch((error: unknown) => {
        logFailure(context.log, error, { requestId, operation: name }, 'text failed');
        return refuse(exchange, text, refusalFor(error, requestId), params);
      })
      .catch((error: unknown) => {
        logFailure(context.log, error, { requestId, operation: name }, 'refusal failed');
        res.destroy();
      });
  };
  return createEndpoint(context, path, { GET: get }, { crossOrigin });
}

async function answer(exchange: Exchange, text: PublicText, params: PathParameters): Promise<void> {
  const made = await text.make(exchange, params);
  if (made.ok) sendText(exchange, tagged(made.text), { cacheControl: text.cacheControl, tag: 'always' });
  else await refuse(exchange, text, made.refusal, params);
}

async function refuse(
  exchange: Exchange,
  { gone, refused = ({ message }) => `${message}\n` }: PublicText,
  refusal: Refusal,
  params: PathParameters,
): Promise<void> {
  const instead = refusal.code === 'not_found' ? await gone?.(params) : undefined;
  if (instead === undefined) sendRefusal(exchange, refusal, refused(refusal));
  else sendRefusal(exchange, refusal, instead, 410);
}

/** Makes it unless this client has come too often; for texts that have no operation behind them to count. */
export async function countedText(exchange: Exchange, make: () => string | Promise<string>): Promise<Made> {
  const refusal = await admitRequest(new HttpCaller(exchange));
  return refusal === null ? { ok: true, text: await make() } : { ok: false, refusal };
}

/** Answers requests to the REST API with what their operations say. Works on plain node requests, inside Express or before it. */
import { FileAnswer, LinesAnswer } from '../operations/operation.ts';
import { callOverHttp } from '../transport/call-over-http.ts';
import { beginExchange, type HttpContext, type Exchange, type Handler } from '../transport/exchange.ts';
import { KEYED_HEADERS, PUBLIC_HEADERS } from '../transport/header-blocks.ts';
import type { PathParameters } from '../transport/request-input.ts';
import type { Route } from '../transport/route.ts';
import { sendAccepted, sendRefusal } from '../transport/send.ts';
import { sendFile } from './send-file.ts';
import { sendLines } from './send-lines.ts';

export function createHandler(route: Route, context: HttpContext): Handler {
  const { operation, path } = route;
  const headerBlock = route.isPublicRead && !route.isSignedUrl ? PUBLIC_HEADERS : KEYED_HEADERS;
  return (req, res, params) => {
    const exchange = beginExchange(context, req, res, operation.name, path, headerBlock);
    answer(route, exchange, params).catch((error: unknown) => {
      context.log.error(
        { err: error, requestId: exchange.requestId, operation: operation.name },
        'answer failed',
      );
      res.destroy();
    });
  };
}

async function answer(route: Route, exchange: Exchange, params: PathParameters): Promise<void> {
  const outcome = await callOverHttp(route, exchange, params);
  if (!outcome.ok) sendRefusal(exchange, outcome.refusal);
  else if (outcome.data instanceof FileAnswer) await sendFile(exchange, outcome.data);
  else if (outcome.data instanceof LinesAnswer) await sendLines(exchange, outcome.data);
  else sendAccepted(exchange, outcome, route.caching);
}

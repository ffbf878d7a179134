/** A text for machines at one or more addresses: limited, cached and tagged like every public read. */
import { createAddress, type Address } from '../../http/address.ts';
import { beginExchange, type Edge, type Exchange } from '../../http/exchange.ts';
import { refusalFor } from '../../http/failure.ts';
import { SECURITY_HEADERS } from '../../http/header-blocks.ts';
import { REFUSAL_STATUS } from '../../http/refusal-status.ts';
import { sendMessage, sendText } from '../../http/send.ts';
import type { Refusal } from '../../operations/refusals.ts';

const CACHING = { cacheControl: 'public, max-age=300', tag: 'always' } as const;

export interface MachineText {
  /** For the log. */
  readonly name: string;
  readonly contentType: string;
  readonly make: () => string | Promise<string>;
}

export function machineAddresses(edge: Edge, paths: readonly string[], text: MachineText): Address[] {
  const headers = ['Content-Type', text.contentType, ...SECURITY_HEADERS, 'Access-Control-Allow-Origin', '*'];
  return paths.map((path) =>
    createAddress(
      edge,
      path,
      {
        GET: (req, res) => {
          const exchange = beginExchange(edge, req, res, text.name, path, headers);
          answer(exchange, text).catch((error: unknown) => {
            edge.log.error({ err: error, requestId: exchange.requestId }, `${text.name} failed`);
            refuse(exchange, refusalFor(error, exchange.requestId));
          });
        },
      },
      { crossOrigin: true },
    ),
  );
}

async function answer(exchange: Exchange, text: MachineText): Promise<void> {
  const { edge, req, nowMs } = exchange;
  const { headers, refusal } = await edge.publicLimit(req, nowMs);
  exchange.headers.push(...headers);
  if (refusal) return refuse(exchange, refusal);
  sendText(exchange, await text.make(), CACHING);
}

/** Whatever it should have been: the no is plain text. */
function refuse(exchange: Exchange, { code, message, retryAfterSeconds = 1 }: Refusal): void {
  exchange.headers.push('Cache-Control', 'no-store');
  if (code === 'rate_limited' || code === 'unavailable') {
    exchange.headers.push('Retry-After', String(Math.max(1, Math.ceil(retryAfterSeconds))));
  }
  sendMessage(exchange, REFUSAL_STATUS[code].status, `${message}\n`, code);
}

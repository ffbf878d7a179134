/** One request and its answer, with what is known of them from the start. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { freshId } from '../../events/ids.ts';
import { instantAt, type Log } from '../logging/log.ts';
import type { AccountLimits } from '../calling/account-limits.ts';
import type { AddressLimits } from '../calling/address-limits.ts';
import type { Moment } from '../calling/admission.ts';
import type { CallingParts } from '../calling/call-operation.ts';
import type { LimitState } from '../calling/limits.ts';
import type { UnreadAnswers } from './unread-answers.ts';

/** Whether who asks may see how the process is inside (monitor.ts). */
export type MonitorCheck = (req: IncomingMessage) => boolean;

/** What answering takes, the same for every request. */
export interface HttpContext extends CallingParts {
  readonly accountLimits: AccountLimits;
  readonly addressLimits: AddressLimits;
  /** How many proxies before us say whose request it is. */
  readonly trustProxyHops: number;
  readonly unread: UnreadAnswers;
  /** What stands in every answer because of how the service is reached (header-blocks.ts). */
  readonly transportHeaders: readonly string[];
  readonly isMonitor: MonitorCheck;
  readonly log: Log;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  /** Whether connections are to be let go after the answer. */
  readonly isStopping: () => boolean;
}

/** Its moment is that of its head, and a later one where what followed took its time (`moveToNow`). */
export interface Exchange extends Moment {
  readonly context: HttpContext;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** The caller's own, if it sent a harmless one. */
  readonly clientRequestId: string | undefined;
  /** For the duration only: milliseconds of a clock that never jumps. */
  readonly startedMs: number;
  /** The operation's name, or what was asked for in place of one. */
  readonly operation: string;
  /** The pattern, never the address: addresses can carry signatures and tokens. */
  readonly path: string;
  /** Flat list of names and values. */
  readonly headers: string[];
  keyId: string | null;
  /** Of that key. */
  accountId: string | null;
  /** How the limits stood when this request was last counted. */
  limits: readonly LimitState[];
}

export type Handler = (
  req: IncomingMessage,
  res: ServerResponse,
  params: Readonly<Record<string, string>>,
) => void;

export function beginExchange(
  context: HttpContext,
  req: IncomingMessage,
  res: ServerResponse,
  operation: string,
  path: string,
  headerBlock: readonly string[],
): Exchange {
  const at = instantAt(context.now());
  // A caller who chose ours could pass a request off as another: its own stands beside it.
  const requestId = freshId('request', at, randomUUID());
  const clientRequestId = clientRequestIdOf(req.headers['x-request-id']);
  const headers = [...headerBlock, ...context.transportHeaders, 'X-Request-Id', requestId];
  if (clientRequestId !== undefined) headers.push('X-Client-Request-Id', clientRequestId);
  const startedMs = performance.now();
  return {
    context,
    req,
    res,
    requestId,
    clientRequestId,
    at,
    steadyMs: startedMs,
    startedMs,
    operation,
    path,
    headers,
    keyId: null,
    accountId: null,
    limits: [],
  };
}

const HARMLESS_ID = /^[A-Za-z0-9._-]{1,128}$/;

function clientRequestIdOf(sent: string | string[] | undefined): string | undefined {
  return typeof sent === 'string' && HARMLESS_ID.test(sent) ? sent : undefined;
}

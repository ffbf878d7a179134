/** Who comes, and whether now: a key that is sent must be good wherever it is sent, and is what is counted then. */
import type { IncomingMessage } from 'node:http';
import type { KeyHolder } from '../operations/operation.ts';
import type { Refusal, RefusalCode } from '../operations/refusals.ts';
import type { Demand } from '../calling/account-limits.ts';
import { authenticateHeader, holdsNoKey } from './bearer.ts';
import type { Exchange } from './exchange.ts';
import type { Route } from '../http/route.ts';

/** Without trials, and bodies that are not read. */
export const ONE_REQUEST: Demand = { requests: 1, trials: 0, bytes: 0 };

/** Whose key was sent: null where none was; the refusal where it is not good. */
export async function presentedKey(
  exchange: Exchange,
): Promise<{ readonly caller: KeyHolder | null; readonly refusal: Refusal | null }> {
  const { edge, req, at } = exchange;
  if (holdsNoKey(req.headers.authorization)) return { caller: null, refusal: null };
  const authentication = await authenticateHeader(req.headers.authorization, at, edge.authenticate);
  if (!authentication.ok) return { caller: null, refusal: authentication.refusal };
  exchange.keyId = authentication.caller.keyId;
  return { caller: authentication.caller, refusal: null };
}

/** Counts a read that needs no key: against the account of its key if one was sent, else against its address. */
export async function admitReader(exchange: Exchange): Promise<Refusal | null> {
  const { edge, req, nowMs } = exchange;
  const { caller, refusal } = await presentedKey(exchange);
  if (refusal !== null) return refusal;
  const counted =
    caller === null
      ? await edge.publicLimit(req, nowMs)
      : edge.accountLimits(caller.accountId, ONE_REQUEST, nowMs);
  exchange.headers.push(...counted.headers);
  return counted.refusal;
}

/** Counts a request that needs its key. */
export function admitCaller(
  { edge, headers, nowMs }: Exchange,
  { accountId }: KeyHolder,
  demand: Demand,
): Refusal | null {
  const counted = edge.accountLimits(accountId, demand, nowMs);
  headers.push(...counted.headers);
  return counted.refusal;
}

/** What a command without a body leaves all the same: an event, and what follows from it in views and queue. */
export const LEAST_COMMAND_BYTES = 1_024;

/**
 * By how many bytes a request lets grow what is kept for its account. Files go by their own bounds: what an agency
 * delivers is no part of what is kept for it in the log. `bytes` are those of the body once they are known.
 */
export function keptBytes(
  { operation, readsBody, maxBodyBytes }: Route,
  req: IncomingMessage,
  bytes = announcedBytes(req, maxBodyBytes),
): number {
  const body = readsBody ? bytes : 0;
  return operation.kind === 'command' ? Math.max(body, LEAST_COMMAND_BYTES) : body;
}

/**
 * A body that came in chunks was counted as large as it may be, until it was read. That takes its time: at the moment
 * of the request a later window would look like a clock that was set back.
 */
export function giveBackUnsent(
  { edge }: Exchange,
  { accountId }: KeyHolder,
  counted: number,
  bytes: number,
): void {
  if (bytes < counted)
    edge.accountLimits(accountId, { requests: 0, trials: 0, bytes: bytes - counted }, edge.now());
}

/** The bytes of a body as announced; as many as there may be where it is sent in chunks. */
export function announcedBytes({ headers }: IncomingMessage, maxBytes: number): number {
  if (headers['transfer-encoding'] !== undefined) return maxBytes;
  const length = Number(headers['content-length'] ?? 0);
  return Number.isFinite(length) ? Math.min(length, maxBytes) : maxBytes;
}

/** The same, but for a credential that is not ours and comes from an address that has sent too many such. */
export async function oftenEnough({ edge, req, nowMs }: Exchange, refusal: Refusal): Promise<Refusal> {
  return FAILED_CREDENTIAL.has(refusal.code) ? edge.addressLimits.failed(req, nowMs, refusal) : refusal;
}

const FAILED_CREDENTIAL: ReadonlySet<RefusalCode> = new Set([
  'api_key_invalid',
  'forbidden',
  'signature_invalid',
]);

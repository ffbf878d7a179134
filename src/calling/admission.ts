/** What a call counts for, before anything of it is read, and of which moment it is. */
import { instantAt } from '../logging/log.ts';
import type { KeyHolder } from '../operations/operation.ts';
import type { Refusal, RefusalCode } from '../operations/refusals.ts';
import type { Demand } from './account-limits.ts';
import type { CallerContext, CallerLimits } from './caller.ts';
import type { Callable } from './callable.ts';

/** What a command without a body leaves all the same: an event, and what follows from it in views and queue. */
const LEAST_COMMAND_BYTES = 1_024;

/**
 * Counts a request that needs no key: against the account of its key if one was sent, else against its address. A key
 * that is sent must be good wherever it is sent.
 * @param bytes of a body that counts with it
 */
export function countRequest(caller: CallerContext, bytes = 0): Promise<Refusal | null> {
  return caller.sendsKey ? countByKey(caller, bytes) : caller.limits.countRead();
}

async function countByKey(caller: CallerContext, bytes: number): Promise<Refusal | null> {
  const authentication = await caller.authenticate();
  return authentication.ok
    ? caller.limits.countAccount(authentication.caller, { requests: 1, trials: 0, bytes })
    : authentication.refusal;
}

/** The same for a request that calls no operation, or several. */
export async function admitRequest(caller: CallerContext, bytes = 0): Promise<Refusal | null> {
  return afterFailures(caller, await countRequest(caller, bytes));
}

/** Why a key that was sent is not good; null where it is, or none was sent. For what counts against nobody's limit. */
export async function refusalOfKey(caller: CallerContext): Promise<Refusal | null> {
  if (!caller.sendsKey) return null;
  const authentication = await caller.authenticate();
  return authentication.ok ? null : afterFailures(caller, authentication.refusal);
}

/** The same of a key that was good, where time has passed since; null within the same moment. */
export async function refusalSince(caller: CallerContext): Promise<Refusal | null> {
  return caller.moveToNow() ? refusalOfKey(caller) : null;
}

/** For so long nothing is asked again: most bodies come with their head. */
export const MOMENT_MS = 50;

export interface Moment {
  /** RFC 3339. */
  at: string;
  /** The same by `performance.now()`. */
  steadyMs: number;
}

/**
 * Moves to now, unless now is the same moment still; whether it did. A request is of the moment at which it was whole: what
 * was sent may take its time to come, and meanwhile a key is frozen, rotated or revoked, or an end comes. Whoever goes on
 * after that moves to now, and asks for the key again.
 * @param nowMs the clock, Unix time in milliseconds
 */
export function moveToNow(moment: Moment, nowMs: () => number): boolean {
  const steadyMs = performance.now();
  if (steadyMs - moment.steadyMs < MOMENT_MS) return false;
  moment.steadyMs = steadyMs;
  const at = instantAt(nowMs());
  // A clock that was set back brings nothing back that has ended.
  if (at > moment.at) moment.at = at;
  return true;
}

/** Counts a credential that is not ours: an address that has sent too many is told that instead. */
export async function afterFailures<Refused extends Refusal | null>(
  { limits }: CallerContext,
  refusal: Refused,
): Promise<Refusal | Refused> {
  return refusal !== null && FAILED_CREDENTIAL.has(refusal.code)
    ? (await limits.countFailure(refusal)).refusal
    : refusal;
}

const FAILED_CREDENTIAL: ReadonlySet<RefusalCode> = new Set([
  'api_key_invalid',
  'forbidden',
  'signature_invalid',
]);

/** What one call asks of the account. A call that its key does not allow is a request and uses up nothing else. */
export function demandOf(
  target: Pick<Callable, 'operation'>,
  { requests, bodyBytes }: { readonly requests: 0 | 1; readonly bodyBytes: number },
  isAllowed: boolean,
): Demand {
  if (!isAllowed) return { requests, trials: 0, bytes: 0 };
  return { requests, trials: target.operation.makesTrial ? 1 : 0, bytes: keptBytes(target, bodyBytes) };
}

/**
 * By how many bytes a call lets grow what is kept for its account. Files go by their own bounds: what an agency delivers
 * is no part of what is kept for it in the log.
 */
function keptBytes({ operation }: Pick<Callable, 'operation'>, bodyBytes: number): number {
  return operation.kind === 'command' ? Math.max(bodyBytes, LEAST_COMMAND_BYTES) : bodyBytes;
}

/** A body that came in chunks was counted as large as it may be, until it was read. */
export function giveBackUnsent(
  limits: CallerLimits,
  caller: KeyHolder,
  target: Pick<Callable, 'operation'>,
  { announced, came }: { readonly announced: number; readonly came: number },
): void {
  limits.giveBack(caller, keptBytes(target, announced) - keptBytes(target, came));
}

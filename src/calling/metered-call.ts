/** A call of the Data API: counted against the plan of its account before its work, and given back if it comes to nothing. */
import { usedOf } from '../../events/usage-events.ts';
import type { KeyHolder, Outcome } from '../operations/operation.ts';
import type { Admission, Metering, PlanUsage } from '../operations/metering.ts';
import { endOfPeriodMs, secondsOfPeriod } from '../../events/period.ts';
import type { Refusal, RefusalCode, Refused } from '../operations/refusals.ts';
import { demandOf } from './admission.ts';
import type { CallRequest } from './call-request.ts';
import type { Callable } from './callable.ts';
import type { CallerContext } from './caller.ts';
import type { LimitState } from './limits.ts';

export type Charge = Extract<Admission, { kind: 'admitted' }>;

const MINUTE_SECONDS = 60;
/** Of `2026-11-27T09:30:00`. */
const SECOND_DIGITS = 19;

/** Counts the call, and tells how the account stands after it. @throws {MeterUnavailable} */
export async function countMetered(
  target: Pick<Callable, 'operation'>,
  request: CallRequest,
  holder: KeyHolder,
  caller: CallerContext,
  metering: Metering,
): Promise<{ readonly ok: true; readonly holder: KeyHolder; readonly charge: Charge } | Refused> {
  const { operation } = target;
  const costsQuota = operation.metered === 'quota';
  const admission = await metering.admit({
    caller: holder,
    operation: operation.name,
    costsQuota,
    at: caller.at,
  });
  if (admission.kind === 'no_plan') {
    // No plan limits the account, and so what limits it everywhere else does.
    const tooOften = caller.limits.countAccount(holder, demandOf(target, request, false));
    caller.limits.tell(nothingLeft(caller.at));
    return { ok: false, refusal: tooOften ?? admission.refusal };
  }
  caller.limits.tell(statesOf(admission));
  if (admission.kind === 'refused') return { ok: false, refusal: admission.refusal };
  return { ok: true, holder, charge: admission };
}

/**
 * The outcome of the work; what failed on our side, had no room, or had nothing new for its caller costs no quota.
 * @param onNotGivenBack told why quota could not be given back: the caller learns what came of the work all the same
 */
export async function charged(
  charge: Charge,
  { has }: CallRequest,
  caller: CallerContext,
  work: () => Promise<Outcome<unknown>>,
  onNotGivenBack: (error: unknown) => void,
): Promise<Outcome<unknown>> {
  try {
    const outcome = await work();
    if (isFree(outcome) || isUnchanged(outcome, has)) await giveBack(charge, caller).catch(onNotGivenBack);
    return outcome;
  } catch (error) {
    await giveBack(charge, caller).catch(onNotGivenBack);
    throw error;
  }
}

async function giveBack(charge: Charge, { limits }: CallerContext): Promise<void> {
  await charge.giveBack();
  const states = statesOf(charge);
  limits.tell(states.map((state) => (state.name === 'month' ? withOneMore(state) : state)));
}

function withOneMore(state: LimitState): LimitState {
  return { ...state, remaining: Math.min(state.limit, state.remaining + 1) };
}

/** What failed on our side, and what the operation itself has no room for now. */
const FREE: ReadonlySet<RefusalCode> = new Set(['internal', 'unavailable', 'rate_limited']);

function isFree(outcome: Outcome<unknown>): boolean {
  return !outcome.ok && FREE.has(outcome.refusal.code);
}

function isUnchanged(outcome: Outcome<unknown>, has: CallRequest['has']): boolean {
  return outcome.ok && outcome.revision !== undefined && has?.(outcome.revision) === true;
}

/** Counts a request without a good key against its address, and tells how many more there may be, and of no quota. */
export async function afterMeteredFailure(caller: CallerContext, refusal: Refusal): Promise<Refusal> {
  if (!WITHOUT_GOOD_KEY.has(refusal.code)) return refusal;
  const counted = await caller.limits.countFailure(refusal);
  caller.limits.tell([...counted.states, noQuota(caller.at)]);
  return counted.refusal;
}

const WITHOUT_GOOD_KEY: ReadonlySet<RefusalCode> = new Set([
  'api_key_missing',
  'api_key_invalid',
  'forbidden',
]);

/** Of each call before it is counted: it holds for the second, which many are made in. */
let lately: { readonly second: string; readonly states: readonly LimitState[] } = { second: '', states: [] };

/** Of an account without a plan; and nothing may be taken for left where nobody can tell what is. */
export function nothingLeft(at: string): readonly LimitState[] {
  const second = at.slice(0, SECOND_DIGITS);
  if (second !== lately.second)
    lately = { second, states: [nothingOf('minute', `${second}Z`), nothingOf('month', `${second}Z`)] };
  return lately.states;
}

/** Of whoever has no good key. */
export function noQuota(at: string): LimitState {
  return nothingOf('month', at);
}

function statesOf({ plan, reading }: PlanUsage): readonly [LimitState, LimitState] {
  const { nowMs, minute, month } = reading;
  const endsAtMs = endOfPeriodMs(month.period);
  return [
    state('minute', plan.perMinute, minute.used, MINUTE_SECONDS, minute.resetAtMs, nowMs),
    state('month', plan.perMonth, usedOf(month.totals), secondsOfPeriod(month.period), endsAtMs, nowMs),
  ];
}

function nothingOf(name: 'minute' | 'month', at: string): LimitState {
  const nowMs = Date.parse(at);
  // There may be a plan, or a counter, within the minute: whoever waits for the reset must not wait for the month.
  if (name === 'minute') return state(name, 0, 0, MINUTE_SECONDS, nowMs + MINUTE_SECONDS * 1_000, nowMs);
  const period = at.slice(0, 7);
  return state(name, 0, 0, secondsOfPeriod(period), endOfPeriodMs(period), nowMs);
}

function state(
  name: 'minute' | 'month',
  limit: number,
  used: number,
  windowSeconds: number,
  resetAtMs: number,
  nowMs: number,
): LimitState {
  return {
    name,
    limit,
    windowSeconds,
    remaining: Math.max(0, limit - used),
    resetSeconds: Math.max(0, Math.ceil((resetAtMs - nowMs) / 1_000)),
    resetAtSeconds: Math.ceil(resetAtMs / 1_000),
  };
}

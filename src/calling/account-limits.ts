/**
 * What one account may ask of this process, whichever of its keys it sends: requests in a minute, and in a day trials
 * and bytes of bodies. Counted in memory, in one call: it bounds what an account can cost and is no bill. Each process
 * counts for itself, and a new one begins at nothing.
 */
import { refuse, type Refusal } from '../operations/refusals.ts';
import type { LimitResult, LimitState } from './limits.ts';

export interface AccountBounds {
  readonly requestsPerMinute: number;
  /** A draft lives for a day at most, so that this bounds those that are open as well as those that come to nothing. */
  readonly trialsPerDay: number;
  /** Of the bodies of requests, and of commands without one: what is kept for an account grows with them. */
  readonly bytesPerDay: number;
}

/** What one request asks for. */
export interface Demand {
  /** 0 where the request was counted before. */
  readonly requests: 0 | 1;
  readonly trials: 0 | 1;
  /** Less than 0 where more was counted before than came. */
  readonly bytes: number;
}

export type AccountLimits = (accountId: string, demand: Demand, nowMs: number) => LimitResult;

interface Used {
  minuteEndsMs: number;
  requests: number;
  dayEndsMs: number;
  trials: number;
  bytes: number;
}

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;
/** About 20 MB when full. Whoever is forgotten for it begins anew, which errs on the side of letting through. */
const MAX_ACCOUNTS = 100_000;

export function createAccountLimits(bounds: AccountBounds, maxAccounts = MAX_ACCOUNTS): AccountLimits {
  const accounts = new Map<string, Used>();

  function usedBy(accountId: string): Used {
    const known = accounts.get(accountId);
    if (known !== undefined) return known;
    const [oldest] = accounts.size >= maxAccounts ? accounts.keys() : [];
    if (oldest !== undefined) accounts.delete(oldest);
    const made = { minuteEndsMs: 0, requests: 0, dayEndsMs: 0, trials: 0, bytes: 0 };
    accounts.set(accountId, made);
    return made;
  }

  return (accountId, demand, nowMs) => {
    const used = usedBy(accountId);
    renew(used, nowMs);
    const refusal = refusalOf(used, demand, bounds, nowMs);
    if (refusal === null) {
      used.requests += demand.requests;
      used.trials += demand.trials;
      // A day that began in between has counted nothing of what is given back.
      used.bytes = Math.max(0, used.bytes + demand.bytes);
    }
    const minute: LimitState = {
      name: 'account',
      limit: bounds.requestsPerMinute,
      windowSeconds: MINUTE_SECONDS,
      remaining: bounds.requestsPerMinute - used.requests,
      resetSeconds: secondsTo(used.minuteEndsMs, nowMs),
    };
    if (demand.trials === 0) return { states: [minute], refusal };
    const day: LimitState = {
      name: 'trials',
      limit: bounds.trialsPerDay,
      windowSeconds: DAY_SECONDS,
      remaining: bounds.trialsPerDay - used.trials,
      resetSeconds: secondsTo(used.dayEndsMs, nowMs),
    };
    return { states: [minute, day], refusal };
  };
}

/** A window begins with the first request after the one before, or anew when the clock was set back. */
function renew(used: Used, nowMs: number): void {
  if (isOver(used.minuteEndsMs, MINUTE_SECONDS, nowMs)) {
    used.minuteEndsMs = nowMs + MINUTE_SECONDS * 1_000;
    used.requests = 0;
  }
  if (isOver(used.dayEndsMs, DAY_SECONDS, nowMs)) {
    used.dayEndsMs = nowMs + DAY_SECONDS * 1_000;
    used.trials = 0;
    used.bytes = 0;
  }
}

function isOver(endsMs: number, seconds: number, nowMs: number): boolean {
  return nowMs >= endsMs || endsMs > nowMs + seconds * 1_000;
}

function refusalOf(used: Used, demand: Demand, bounds: AccountBounds, nowMs: number): Refusal | null {
  const { requestsPerMinute, trialsPerDay, bytesPerDay } = bounds;
  if (used.requests + demand.requests > requestsPerMinute)
    return tooMuch('requests in a minute', requestsPerMinute, used.requests, used.minuteEndsMs - nowMs);
  if (used.trials + demand.trials > trialsPerDay)
    return tooMuch('trials in a day', trialsPerDay, used.trials, used.dayEndsMs - nowMs);
  if (used.bytes + demand.bytes > bytesPerDay)
    return tooMuch('bytes of bodies in a day', bytesPerDay, used.bytes, used.dayEndsMs - nowMs);
  return null;
}

function tooMuch(what: string, limit: number, value: number, freeInMs: number): Refusal {
  const retryAfterSeconds = Math.ceil(freeInMs / 1_000);
  const message = `An account may send ${limit} ${what}; try again in ${retryAfterSeconds} s.`;
  const detail = {
    path: 'account',
    message: `${what} are limited`,
    limit: String(limit),
    value: String(value),
  };
  return refuse('rate_limited', message, { retryAfterSeconds, details: [detail] }).refusal;
}

function secondsTo(endMs: number, nowMs: number): number {
  return Math.ceil((endMs - nowMs) / 1_000);
}

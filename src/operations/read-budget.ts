/**
 * How much may be read for one account where an answer is a sum over much: how many are under way bounds what is held
 * at once, this bounds what one key can have this process do by asking again and again. Each process counts for itself.
 */
import { refuse } from './refusals.ts';

const MINUTE_MS = 60_000;
/** Whoever is forgotten begins anew, which errs on the side of letting through. */
const MAX_ACCOUNTS = 10_000;

export interface ReadBudget {
  /** The refusal while more was read than a minute has; null where the account may go on. */
  readonly refusal: (accountId: string) => ReturnType<typeof refuse> | null;
  /** So much was read, which may be more than was left: then it takes longer until there is some again. */
  readonly spend: (accountId: string, read: number) => void;
}

interface Spent {
  readonly amount: number;
  readonly atMs: number;
}

/** @param now on a clock that is never set back, in milliseconds */
export function createReadBudget(
  what: string,
  perMinute: number,
  now: () => number = () => performance.now(),
): ReadBudget {
  const accounts = new Map<string, Spent>();

  /** What was read and has not been made up for by the time that has passed. */
  const spentBy = (accountId: string): number => {
    const { amount = 0, atMs = 0 } = accounts.get(accountId) ?? {};
    return Math.max(0, amount - ((now() - atMs) * perMinute) / MINUTE_MS);
  };

  return {
    refusal(accountId) {
      const over = spentBy(accountId) - perMinute;
      if (over < 0) return null;
      const retryAfterSeconds = Math.max(1, Math.ceil((over * MINUTE_MS) / perMinute / 1_000));
      const message = `this account has asked for as many ${what} as a minute has; try again in ${retryAfterSeconds} s`;
      return refuse('rate_limited', message, { retryAfterSeconds });
    },
    spend(accountId, read) {
      const amount = spentBy(accountId) + read;
      // The one that asked last comes last: the first is the one to forget.
      accounts.delete(accountId);
      const [oldest] = accounts.size >= MAX_ACCOUNTS ? accounts.keys() : [];
      if (oldest !== undefined) accounts.delete(oldest);
      accounts.set(accountId, { amount, atMs: now() });
    },
  };
}

/** What reads much is done for a few at a time: of one account, in one process. */
import { refuse } from './refusals.ts';

export const MAX_UNDER_WAY = 2;
const RETRY_AFTER_SECONDS = 5;

interface UnderWay {
  /** What to call once when it is over; the refusal where as many are under way as may be. */
  begin: (accountId: string) => (() => void) | ReturnType<typeof refuse>;
}

/** @param what the plural by which a refusal names them */
export function createUnderWay(what: string): UnderWay {
  const counts = new Map<string, number>();

  function leave(accountId: string): void {
    const left = (counts.get(accountId) ?? 1) - 1;
    if (left === 0) counts.delete(accountId);
    else counts.set(accountId, left);
  }

  return {
    begin(accountId) {
      const others = counts.get(accountId) ?? 0;
      if (others >= MAX_UNDER_WAY)
        return refuse('rate_limited', `at most ${MAX_UNDER_WAY} ${what} of one account are made at a time`, {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        });
      counts.set(accountId, others + 1);
      return () => leave(accountId);
    },
  };
}

/** What reads much is done for a few at a time: of one account, in one process. */
import { refuse } from './refusals.ts';

export const MAX_UNDER_WAY = 2;
const RETRY_AFTER_SECONDS = 5;

interface UnderWay {
  /**
   * What to call once when it is over; the refusal where as many are under way as may be.
   * @param name of what is done once for all who ask for it: they have one place together
   */
  begin: (accountId: string, name?: string) => (() => void) | ReturnType<typeof refuse>;
}

/** @param what the plural by which a refusal names them */
export function createUnderWay(what: string): UnderWay {
  /** Of each account its places, and how many wait at each. */
  const accounts = new Map<string, Map<string | symbol, number>>();

  function leave(accountId: string, place: string | symbol): void {
    const places = accounts.get(accountId);
    const left = (places?.get(place) ?? 1) - 1;
    if (left > 0) places?.set(place, left);
    else places?.delete(place);
    if (places?.size === 0) accounts.delete(accountId);
  }

  return {
    begin(accountId, name) {
      const place = name ?? Symbol(what);
      const places = accounts.get(accountId) ?? new Map<string | symbol, number>();
      const here = places.get(place) ?? 0;
      if (here === 0 && places.size >= MAX_UNDER_WAY)
        return refuse('rate_limited', `at most ${MAX_UNDER_WAY} ${what} of one account are made at a time`, {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        });
      places.set(place, here + 1);
      accounts.set(accountId, places);
      return () => leave(accountId, place);
    },
  };
}

/**
 * Whose messages are on their way, of so many at once: one slow receiver, or one account with many, must not take every
 * place, for the others' messages would wait for it. What finds no place comes again, spread over as long as those
 * before it will take, so that the others' are due between them.
 */

const PER_ENDPOINT = 32;
/** Of an account's places so many are left when more than half of all are taken. */
const SHARE_WHEN_BUSY = 4;
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [1_000, 60_000];
/** How much the last duration counts in the usual one. */
const WEIGHT = 0.1;

export interface Receiver {
  readonly accountId: string;
  readonly endpointId: string;
}

export interface DeliveryPlaces {
  /** A place, to be left when the message has arrived or failed; or when to come again. */
  readonly take: (
    receiver: Receiver,
    nowMs: number,
  ) => { readonly leave: () => void } | { readonly atMs: number };
}

interface Account {
  readonly endpoints: Map<string, number>;
  underWay: number;
  usualMs: number;
  /** When the next one that finds no place is to come. */
  nextTurnMs: number;
}

export function createDeliveryPlaces(inAll: number, perAccount: number): DeliveryPlaces {
  const whenBusy = Math.max(1, Math.floor(perAccount / SHARE_WHEN_BUSY));
  const accounts = new Map<string, Account>();
  let taken = 0;

  const accountOf = (accountId: string): Account => {
    const known = accounts.get(accountId);
    if (known !== undefined) return known;
    const made = { endpoints: new Map<string, number>(), underWay: 0, usualMs: 0, nextTurnMs: 0 };
    accounts.set(accountId, made);
    return made;
  };

  function later(account: Account, allowed: number, nowMs: number): { readonly atMs: number } {
    const turnMs = Math.max(account.nextTurnMs, nowMs + FIRST_PAUSE_MS);
    account.nextTurnMs = Math.min(turnMs + account.usualMs / allowed, nowMs + MAX_PAUSE_MS);
    return { atMs: Math.ceil(turnMs) };
  }

  return {
    take({ accountId, endpointId }, nowMs) {
      const account = accountOf(accountId);
      const allowed = taken * 2 < inAll ? perAccount : whenBusy;
      const here = account.endpoints.get(endpointId) ?? 0;
      if (account.underWay >= allowed || here >= PER_ENDPOINT) return later(account, allowed, nowMs);
      account.endpoints.set(endpointId, here + 1);
      account.underWay += 1;
      taken += 1;
      const startedMs = performance.now();
      return {
        leave() {
          taken -= 1;
          account.underWay -= 1;
          account.usualMs += WEIGHT * (performance.now() - startedMs - account.usualMs);
          const left = (account.endpoints.get(endpointId) ?? 1) - 1;
          if (left === 0) account.endpoints.delete(endpointId);
          else account.endpoints.set(endpointId, left);
          if (account.underWay === 0) accounts.delete(accountId);
        },
      };
    },
  };
}

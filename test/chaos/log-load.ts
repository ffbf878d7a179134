/** Buyers of a market whose log is in trouble: they ask until they are answered, and believe what they are told. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Buyer, newWish, see, settleWish, Unanswered, type Wish } from '../crash/buyer.ts';

const BETWEEN_TRIES_MS = 50;

export interface Answers {
  readonly asked: number;
  /** Wishes that were given up since the server said that it had done nothing. */
  readonly undone: number;
  /** Answers that were none, or 503. */
  readonly unanswered: number;
  readonly slowestMs: number;
}

export interface Shop {
  /** Buys until the cap is reached, in so many requests at once. */
  readonly buyToTheCap: (buyer: Buyer, atOnce: number) => Promise<void>;
  /** Buys, looks at what was bought and gives some of it up, until it is over. */
  readonly buyAndCancel: (buyer: Buyer, isOver: () => boolean) => Promise<void>;
  readonly answers: () => Answers;
}

/** @param url where the market answers now: it may be started anew meanwhile */
export function shopAt(url: () => string): Shop {
  let [asked, undone, unanswered, slowestMs] = [0, 0, 0, 0];

  /** False when it was told that nothing was done, and left it at that. */
  async function isAnswered(ask: () => Promise<void>, mayGiveUp: boolean): Promise<boolean> {
    for (let isFirst = true; ; isFirst = false) {
      const askedMs = performance.now();
      asked += 1;
      try {
        await ask();
        return true;
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        unanswered += 1;
        // Of a repetition it says nothing about the try before.
        if (isFirst && mayGiveUp && error.isUndone) return false;
        await delay(BETWEEN_TRIES_MS);
      } finally {
        slowestMs = Math.max(slowestMs, performance.now() - askedMs);
      }
    }
  }

  /** Null when it was given up. */
  async function buy(buyer: Buyer): Promise<Wish | null> {
    const wish = newWish();
    buyer.wishes.push(wish);
    if (await isAnswered(() => settleWish(url(), buyer, wish), Math.random() < 0.5)) return wish;
    undone += 1;
    wish.spend = 'denied';
    return null;
  }

  return {
    async buyToTheCap(buyer, atOnce) {
      const lane = async (): Promise<void> => {
        for (let wish: Wish | null = null; wish?.spend !== 'denied';) wish = await buy(buyer);
      };
      await Promise.all(Array.from({ length: atOnce }, lane));
    },
    async buyAndCancel(buyer, isOver) {
      while (!isOver()) {
        const wish = await buy(buyer);
        if (wish === null) continue;
        const whim = Math.random();
        if (whim < 0.4) wish.cancel = 'unknown';
        if (whim < 0.4) await isAnswered(() => settleWish(url(), buyer, wish), false);
        if (whim < 0.6) await isAnswered(() => see(url(), buyer, wish), false);
      }
    },
    answers: () => ({ asked, undone, unanswered, slowestMs }),
  };
}

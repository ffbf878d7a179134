/** Buyers and readers who go on whatever happens, note down what they were told, and when they were told nothing. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Buyer, newWish, settleWish, Unanswered } from '../crash/buyer.ts';
import { until } from '../support/until.ts';

export interface LoadReport {
  readonly asked: number;
  /** Neither done nor refused: no connection, no answer, or 503. */
  readonly failed: number;
  /** From the start of the report to the last failure; null without one. */
  readonly lastFailureMs: number | null;
}

export interface Load {
  /** What happened since the last report. */
  readonly report: () => LoadReport;
  /** Waits for it, unless the load has failed. */
  readonly until: (what: string, condition: () => boolean) => Promise<void>;
  /** Resolves when every wish of every buyer has its answer. */
  readonly stop: () => Promise<void>;
  /** Whatever is still without an answer stays so: for the end of a test that failed. */
  readonly giveUp: () => void;
}

const BETWEEN_WISHES_MS = 25;
const BETWEEN_TRIES_MS = 100;
const READ_EVERY_MS = 25;
const LONGEST_MS = 120_000;

/** Each request goes to the next node, as behind a balancer that knows nothing of who is well. */
export function startLoad(urls: () => readonly string[], buyers: readonly Buyer[]): Load {
  const outcomes = tally();
  let turn = 0;
  let isStopping = false;
  let isGivenUp = false;
  const nextUrl = (): string => {
    const all = urls();
    turn += 1;
    return all[turn % all.length] ?? '';
  };

  async function counted(ask: () => Promise<void>): Promise<boolean> {
    if (isGivenUp) return true;
    try {
      await ask();
      outcomes.succeeded();
      return true;
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      outcomes.failed();
      return false;
    }
  }

  async function buy(buyer: Buyer): Promise<void> {
    while (!isStopping) {
      const wish = newWish();
      buyer.wishes.push(wish);
      while (!(await counted(() => settleWish(nextUrl(), buyer, wish)))) await delay(BETWEEN_TRIES_MS);
      await delay(BETWEEN_WISHES_MS);
    }
  }

  async function read(): Promise<void> {
    while (!isStopping) {
      await counted(() => readAgent(nextUrl()));
      await delay(READ_EVERY_MS);
    }
  }

  const all = Promise.all([...buyers.map(buy), read()]);
  // It is looked at when the load is stopped.
  all.catch(() => (isStopping = true));
  return {
    report: () => outcomes.report(),
    async until(what, condition) {
      await Promise.race([all, until(what, condition, LONGEST_MS)]);
    },
    async stop() {
      isStopping = true;
      await all;
    },
    giveUp() {
      isStopping = true;
      isGivenUp = true;
    },
  };
}

function tally() {
  let since = Date.now();
  let asked = 0;
  let failed = 0;
  let lastFailureAt: number | null = null;
  return {
    succeeded(): void {
      asked += 1;
    },
    failed(): void {
      asked += 1;
      failed += 1;
      lastFailureAt = Date.now();
    },
    report(): LoadReport {
      const report = { asked, failed, lastFailureMs: lastFailureAt === null ? null : lastFailureAt - since };
      since = Date.now();
      asked = failed = 0;
      lastFailureAt = null;
      return report;
    },
  };
}

async function readAgent(url: string): Promise<void> {
  const response = await fetch(`${url}/v1/agents/invoice-matcher`).catch((error: unknown) => {
    throw new Unanswered('no answer', { cause: error });
  });
  const text = await response.text();
  if (response.status === 503) throw new Unanswered(text);
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
}

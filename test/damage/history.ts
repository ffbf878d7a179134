/** A market that has traded for a while, as it lay on the disk at several moments of its life. */
import { cpSync, mkdirSync } from 'node:fs';
import type { Life, Program } from '../support/built-program.ts';
import { inMarket, prepareBuyers } from '../support/own-market.ts';
import { buy, type Customer, listen, newCustomer, TRIAL_CENTS } from './customers.ts';
import { viewsHaveAll } from './views-have-all.ts';

export interface Moment {
  readonly name: string;
  readonly folder: string;
  /** With what was acknowledged to them by then. */
  readonly customers: readonly Customer[];
  /** Whether the views had taken in all that was acknowledged. */
  readonly isInViews: boolean;
}

export interface History {
  /** Those that damage begins from. */
  readonly ends: readonly [Moment, ...Moment[]];
  /** Folders of earlier moments, and of another market. */
  readonly others: readonly string[];
}

const CAPS = [30, 6];

/** @param place gives a folder of this name */
export async function makeHistory(program: Program, place: (name: string) => string): Promise<History> {
  const dataDir = place('market');
  let customers = await newMarket(dataDir);
  const kept = (name: string): string => {
    cpSync(dataDir, place(name), { recursive: true });
    return place(name);
  };
  const shop = async (url: string, times: number): Promise<void> => {
    const all = await Promise.all(customers.map((customer) => buy(url, customer, times)));
    customers = all.map(({ customer }) => customer);
  };
  const begin = async (): Promise<{ life: Life; url: string }> => {
    const life = program.start({ DATA_DIR: dataDir });
    return { life, url: await life.url };
  };

  const others = [kept('before the first trade')];
  let { life, url } = await begin();
  customers = await Promise.all(customers.map((customer) => listen(url, customer)));
  await shop(url, 4);
  // As by `cp` beside the running server: no moment at all.
  others.push(kept('in the midst of it'));
  await shop(url, 4);
  await life.stop();
  const stopped = { name: 'stopped', folder: kept('stopped'), customers, isInViews: true };

  ({ life, url } = await begin());
  await shop(url, 4);
  await viewsHaveAll(url);
  await life.kill();
  const killed = { name: 'killed at rest', folder: kept('killed'), customers, isInViews: true };

  ({ life, url } = await begin());
  const shopping = shop(url, 100);
  // As long as a few of theirs take.
  for (let asked = 0; asked < 3; asked += 1) await fetch(`${url}/healthz`);
  await life.kill();
  await shopping;
  const inTheAct = { name: 'killed in the act', folder: kept('in the act'), customers, isInViews: false };

  const other = place('another market');
  const [stranger] = await newMarket(other);
  if (stranger !== undefined) {
    life = program.start({ DATA_DIR: other });
    await buy(await life.url, stranger, 2);
    await life.stop();
  }
  return { ends: [stopped, killed, inTheAct], others: [...others, stopped.folder, other] };
}

async function newMarket(dataDir: string): Promise<readonly Customer[]> {
  mkdirSync(dataDir, { recursive: true });
  const caps = CAPS.map((spends) => spends * TRIAL_CENTS);
  const keys = await inMarket({ DATA_DIR: dataDir }, (market) => prepareBuyers(market, caps));
  return keys.map((key, index) => newCustomer(key, CAPS[index] ?? 0));
}

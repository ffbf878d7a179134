/** B7: the first spend after a cold start, of a mandate with a long past and of a new one. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, BenchRun } from './bench.ts';
import { longMandate } from './histories.ts';
import { inMarket, newBuyers, trialRequests } from './market.ts';
import { serveMarket, untilReady } from './servers.ts';
import { median } from './statistics.ts';

const SETTLE_MS = 500;

export const coldSpend: Bench = {
  name: 'B7',
  title: 'first spend after a cold start: a mandate with 1,000,000 past spends beside a new one',
  isDurable: true,
  async run(run) {
    const spends = run.isQuick ? 5_000 : 1_000_000;
    const { dataDir, key } = await longMandate(run, spends);
    const rounds = run.isQuick ? 1 : 9;
    const buyers = await inMarket(dataDir, async (market) => {
      const made = await newBuyers(market, rounds);
      await market.catchUp();
      return made;
    });
    const old: number[] = [];
    const fresh: number[] = [];
    for (const buyer of buyers) {
      fresh.push(await firstSpendMs(run, dataDir, buyer.key));
      old.push(await firstSpendMs(run, dataDir, key));
    }
    return [
      { what: 'new mandate', unit: 'ms', values: fresh },
      {
        what: `${spends.toLocaleString('en')} past spends`,
        unit: 'ms',
        values: old,
        against: { what: 'new', ratios: [median(old) / median(fresh)] },
        goal: { of: 'ratio', atMost: 1.3 },
      },
    ];
  },
};

async function firstSpendMs(run: BenchRun, dataDir: string, key: string): Promise<number> {
  const market = await serveMarket(run, dataDir);
  await untilReady(market);
  await pause(SETTLE_MS);
  const { method, headers, body } = trialRequests([{ key }])();
  const startedMs = performance.now();
  const answer = await fetch(`${market.origin}/v1/trials`, { method, headers, body: body ?? '' });
  await answer.arrayBuffer();
  const took = performance.now() - startedMs;
  await market.stop();
  if (answer.status !== 201) throw new Error(`the spend was answered with ${answer.status}`);
  return took;
}

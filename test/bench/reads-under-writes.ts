/** How long a public read waits while trials are written as fast as they can be: a sync must not stop the event loop. */
import type { Bench, BenchRun, Figure } from './bench.ts';
import { load } from './load.ts';
import { type MarketFolder, newMarket, trialRequests } from './market.ts';
import { AGENT_PATH, serveMarket, untilReady } from './servers.ts';
import { slowSync } from './slow-sync.ts';
import { figureOf, loadTrials } from './trials.ts';

const READERS = { connections: 4, perSecond: 200 };

export const readsUnderWrites: Bench = {
  name: 'B1+B4',
  title: '200 agents read a second while trials are written by 32 connections',
  isDurable: true,
  async run(run) {
    const folder = await newMarket(run, 500);
    const figures = [...(await under(run, folder, 'the disk as it is', {}))];
    const slow = slowSync(run.scratch);
    if ('reason' in slow) run.say(`  without slowed syncs: ${slow.reason}`);
    else figures.push(...(await under(run, folder, 'each sync + 5 ms', slow.env)));
    return figures;
  },
};

async function under(
  run: BenchRun,
  { dataDir, buyers }: MarketFolder,
  disk: string,
  env: Record<string, string>,
): Promise<readonly Figure[]> {
  const market = await serveMarket(run, dataDir, { env });
  await untilReady(market);
  const post = trialRequests(buyers);
  const read = () =>
    load({ ...READERS, url: market.origin + AGENT_PATH, pid: market.pid, seconds: run.seconds });
  await loadTrials(run, market, post);
  const alone = await read();
  const reads = [];
  const writes = [];
  for (let round = 0; round < run.rounds; round += 1) {
    const [reading, writing] = await Promise.all([read(), loadTrials(run, market, post)]);
    reads.push(reading);
    writes.push(writing);
  }
  await market.stop();
  return [
    msFigure(`p99 of reads alone, ${disk}`, [alone.p99Ms]),
    msFigure(
      `p99 of reads under trials, ${disk}`,
      reads.map((one) => one.p99Ms),
    ),
    figureOf(`the trials meanwhile, ${disk}`, writes),
  ];
}

function msFigure(what: string, values: readonly number[]): Figure {
  return { what, unit: 'ms', values };
}

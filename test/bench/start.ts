/** B14: from the start of the process to its first 200, with a long log, and what memory it takes when nobody asks. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import { mixedMarket } from './histories.ts';
import { residentMib, serveMarket, untilReady } from './servers.ts';

export const start: Bench = {
  name: 'B14',
  title: 'start of dist to the first 200, with 1,000,000 events in the log; idle memory',
  isDurable: false,
  async run(run) {
    const { dataDir } = await mixedMarket(run, run.isQuick ? 5_000 : 1_000_000);
    const startsMs: number[] = [];
    const idleMib: number[] = [];
    for (let round = 0; round < run.rounds; round += 1) {
      const market = await serveMarket(run, dataDir);
      startsMs.push(market.startMs);
      await untilReady(market);
      await pause(run.isQuick ? 1_000 : 5_000);
      idleMib.push(residentMib(market));
      await market.stop();
    }
    return [
      { what: 'start to first 200', unit: 'ms', values: startsMs, goal: { of: 'median', atMost: 600 } },
      { what: 'resident when idle', unit: 'MiB', values: idleMib, goal: { of: 'median', atMost: 110 } },
    ];
  },
};

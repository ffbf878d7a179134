/**
 * B14: from the start of the process to its first 200, with a long log, and what memory it takes when nobody asks: right
 * after the start, and when V8 has given back what the start took, which it does once it has seen nothing to do for a while.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import { mixedMarket } from './histories.ts';
import { residentMib, serveMarket, untilReady } from './servers.ts';

const SOON_MS = 5_000;
const LATER_MS = 60_000;

export const start: Bench = {
  name: 'B14',
  title: 'start of dist to the first 200, with 1,000,000 events in the log; idle memory',
  isDurable: false,
  async run(run) {
    const { dataDir } = await mixedMarket(run, run.isQuick ? 5_000 : 1_000_000);
    const startsMs: number[] = [];
    const cpuMs: number[] = [];
    const soonMib: number[] = [];
    const idleMib: number[] = [];
    const anonymousMib: number[] = [];
    for (let round = 0; round < run.rounds; round += 1) {
      const market = await serveMarket(run, dataDir);
      startsMs.push(market.startMs);
      cpuMs.push(market.startCpuMs);
      await untilReady(market);
      await pause(run.isQuick ? 1_000 : SOON_MS);
      soonMib.push(residentMib(market));
      await pause(run.isQuick ? 0 : LATER_MS - SOON_MS);
      idleMib.push(residentMib(market));
      anonymousMib.push(residentMib(market, 'RssAnon'));
      await market.stop();
    }
    return [
      { what: 'start to first 200', unit: 'ms', values: startsMs, goal: { of: 'median', atMost: 600 } },
      { what: 'CPU time until then', unit: 'ms', values: cpuMs },
      { what: 'resident 5 s after it', unit: 'MiB', values: soonMib },
      {
        what: 'resident when idle for a minute',
        unit: 'MiB',
        values: idleMib,
        goal: { of: 'median', atMost: 110 },
      },
      { what: 'of that not backed by a file', unit: 'MiB', values: anonymousMib },
    ];
  },
};

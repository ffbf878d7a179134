/** B8 and B9: reading a whole history once more, to build every view anew and to audit. */
import type { Bench, BenchRun, Figure } from './bench.ts';
import { startGauge } from './children.ts';
import { type History, longMandate, mixedMarket } from './histories.ts';
import type { Replayed } from './replaying.ts';
import { beside, median, ratiosOf } from './statistics.ts';

const MILLION = 1_000_000;
const FEW = 5_000;

export const rebuild: Bench = {
  name: 'B8',
  title: 'every view anew from 1,000,000 mixed events',
  isDurable: false,
  async run(run) {
    const history = await mixedMarket(run, run.isQuick ? FEW : MILLION);
    return replayed(run, history, 'rebuild', 100_000);
  },
};

export const auditReplay: Bench = {
  name: 'B9',
  title: 'audit of a mandate with 1,000,000 spends: chain, sums and caps',
  isDurable: false,
  async run(run) {
    const history = await longMandate(run, run.isQuick ? FEW : MILLION);
    return replayed(run, history, 'audit', 200_000);
  },
};

async function replayed(
  { rounds, scratch }: BenchRun,
  { dataDir, mandateId }: History,
  what: 'rebuild' | 'audit',
  goalPerSecond: number,
): Promise<readonly Figure[]> {
  const open = (name: string) => startGauge<Replayed>('replays.main.ts', [name, dataDir, scratch, mandateId]);
  const own = await open(what);
  const raw = await open('raw');
  const measured = await beside(
    replaysIn(rounds),
    () => raw.ask({}),
    () => own.ask({}),
  );
  await Promise.all([own.stop(), raw.stop()]);
  return [
    figureOf('the log read and parsed', measured.ceilings),
    {
      ...figureOf(`events of the ${what}`, measured.own),
      against: { what: 'raw', ...ratiosOf(measured) },
      goal: { of: 'median', atLeast: goalPerSecond },
    },
    {
      what: 'peak heap',
      unit: 'MiB',
      values: measured.own.map((one) => one.peakHeapMib),
      ...(what === 'rebuild' && { goal: { of: 'median', atMost: 256 } }),
    },
  ];
}

/** A replay of a long history takes as long as several rounds of load. */
export function replaysIn(rounds: number): number {
  return Math.ceil(rounds / 3);
}

export function figureOf(what: string, results: readonly Replayed[]): Figure {
  return {
    what,
    unit: '/s',
    values: results.map((one) => one.rate),
    cpuUs: median(results.map((one) => one.cpuUs)),
  };
}

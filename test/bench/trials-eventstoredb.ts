/** E2: trials with the log in EventStoreDB, everything else embedded, beside trials on the embedded log. */
import type { Bench, BenchRun } from './bench.ts';
import { load, type LoadResult } from './load.ts';
import { startLogServer } from './log-server.ts';
import { newMarket, trialRequests } from './market.ts';
import { type Served, serveMarket, untilReady } from './servers.ts';
import { beside, ratiosOf } from './statistics.ts';
import { figureOf } from './trials.ts';

const MANY = 200;
const IN_FLIGHT = 64;
/** What a trial costs falls for so long, as code is compiled: both have as many behind them, however long it takes. */
const WARM_UP_TRIALS = 8_000;
/** Both can do as many: the faster of them would else do more together, for which each costs less. */
const SAME_RATE = 100;

interface Trials {
  readonly market: Served;
  readonly post: ReturnType<typeof trialRequests>;
}

export const trialsInEventStoreDb: Bench = {
  name: 'E2',
  title: 'POST /v1/trials with the log in EventStoreDB, all roles in one process',
  isDurable: true,
  async run(run) {
    const server = await startLogServer(run);
    const [embedded, distributed] = [await open(run, {}), await open(run, server.newMarketEnv())];
    const serverUs: number[] = [];
    const measured = await beside(
      run.rounds,
      () => round(run, embedded),
      async () => {
        const before = server.cpuSeconds();
        const result = await round(run, distributed);
        const after = server.cpuSeconds();
        const trials = result.byStatus.get(201) ?? 0;
        if (before !== null && after !== null) serverUs.push(((after - before) * 1e6) / trials);
        return result;
      },
    );
    const alike = await beside(
      run.rounds,
      () => round(run, embedded, SAME_RATE),
      () => round(run, distributed, SAME_RATE),
    );
    await Promise.all([embedded.market.stop(), distributed.market.stop()]);
    await server.stop();
    return [
      figureOf('trials, the log embedded', measured.ceilings),
      {
        ...figureOf('trials, the log in EventStoreDB', measured.own),
        against: { what: 'embedded', ...ratiosOf(measured) },
      },
      {
        what: 'CPU of a trial, times that of the embedded log',
        unit: '×',
        values: measured.cpuRatios.map((ratio) => 1 / ratio),
        goal: { of: 'median', atMost: 2 },
      },
      {
        what: `the same, where both are sent ${SAME_RATE} a second`,
        unit: '×',
        values: alike.cpuRatios.map((ratio) => 1 / ratio),
      },
      ...(serverUs.length > 0
        ? [{ what: "the double's CPU for a trial", unit: 'µs', values: serverUs }]
        : []),
    ];
  },
};

async function open(run: BenchRun, env: Readonly<Record<string, string>>): Promise<Trials> {
  const { dataDir, buyers } = await newMarket(run, MANY, env);
  const market = await serveMarket(run, dataDir, { env });
  await untilReady(market);
  const trials = { market, post: trialRequests(buyers) };
  const enough = run.isQuick ? 1 : WARM_UP_TRIALS;
  for (let made = 0; made < enough;) made += (await round(run, trials)).byStatus.get(201) ?? 0;
  return trials;
}

function round(
  { seconds }: BenchRun,
  { market: { origin, pid }, post }: Trials,
  perSecond?: number,
): Promise<LoadResult> {
  const url = `${origin}/v1/trials`;
  const pace = perSecond !== undefined && { perSecond };
  return load({ url, pid, seconds, connections: IN_FLIGHT, request: post, expected: [201], ...pace });
}

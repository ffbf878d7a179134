/** B4 and B5: durable spends over HTTP, of many mandates and of one. */
import { auditMandate } from '../../src/audit/audit-mandate.ts';
import type { CreatedKey } from '../../src/operations/keys/create-key.ts';
import type { Bench, BenchRun, Figure } from './bench.ts';
import { load, type LoadResult } from './load.ts';
import { inMarket, newBuyers, newMarket, trialRequests } from './market.ts';
import { bodyBytes, type Served, serveConstant, serveMarket, untilReady } from './servers.ts';
import { PRICE_CENTS } from './spends.ts';
import { beside, median, ratiosOf } from './statistics.ts';

const MANY = 500;
const CAPPED_SPENDS = 300;

export const manyMandates: Bench = {
  name: 'B4',
  title: 'POST /v1/trials, an idempotency key each, 500 mandates',
  isDurable: true,
  async run(run) {
    const { dataDir, buyers } = await newMarket(run, MANY);
    const market = await serveMarket(run, dataDir);
    await untilReady(market);
    const post = trialRequests(buyers);
    await loadTrials(run, market, post);
    const { body, headers } = post();
    const bytes = await bodyBytes(`${market.origin}/v1/trials`, {
      method: 'POST',
      headers,
      body: body ?? '',
    });
    const express = await serveConstant('express', bytes);
    const measured = await beside(
      run.rounds,
      () => load({ ...express, seconds: run.seconds }),
      () => loadTrials(run, market, post),
    );
    await Promise.all([market.stop(), express.stop()]);
    const figure = figureOf('trials of 500 mandates', measured.own);
    return [
      figureOf(`Express constant of ${bytes} bytes`, measured.ceilings),
      {
        ...figure,
        against: { what: 'Express', ...ratiosOf(measured) },
        goal: { of: 'ratio', atLeast: 0.35 },
      },
      {
        what: 'slowest 1 % of trials',
        unit: 'ms',
        values: measured.own.map((one) => one.p99Ms),
        goal: { of: 'median', atMost: 30 },
      },
    ];
  },
};

export const oneMandate: Bench = {
  name: 'B5',
  title: 'POST /v1/trials, all on one mandate',
  isDurable: true,
  async run(run) {
    const { dataDir, buyers } = await newMarket(run, MANY);
    const [capped] = await inMarket(dataDir, async (market) => {
      const made = await newBuyers(market, 1, { terms: { maxMonthlyCents: CAPPED_SPENDS * PRICE_CENTS } });
      await market.catchUp();
      return made;
    });
    const market = await serveMarket(run, dataDir);
    await untilReady(market);
    const [single] = buyers;
    if (single === undefined || capped === undefined) throw new Error('no buyers were made');
    const postAll = trialRequests(buyers);
    const postOne = trialRequests([single]);
    await loadTrials(run, market, postAll);
    const measured = await beside(
      run.rounds,
      () => loadTrials(run, market, postAll),
      () => loadTrials(run, market, postOne),
    );
    const overCap = await load({
      url: `${market.origin}/v1/trials`,
      pid: market.pid,
      seconds: run.seconds,
      request: trialRequests([capped]),
      expected: [201, 403],
    });
    await market.stop();
    const figure = figureOf('trials of one mandate', measured.own);
    return [
      figureOf('trials of 500 mandates (B4)', measured.ceilings),
      { ...figure, against: { what: 'B4', ...ratiosOf(measured) }, goal: { of: 'ratio', atLeast: 0.8 } },
      ...(await capFigures(run, dataDir, capped, overCap)),
    ];
  },
};

/** What the log says of the mandate whose cap was run into. */
async function capFigures(
  run: BenchRun,
  dataDir: string,
  { mandateId }: CreatedKey,
  { byStatus }: LoadResult,
): Promise<readonly Figure[]> {
  return inMarket(dataDir, async ({ services }) => {
    const { findings, periods, events } = await auditMandate(services.events, mandateId, null);
    const [total] = [...periods.values()];
    if (total === undefined || findings.length > 0)
      throw new Error(`the audit found ${findings.length} faults`);
    run.say(`  capped mandate: ${byStatus.get(201)} × 201, ${byStatus.get(403)} × 403, ${events} events`);
    const capCents = CAPPED_SPENDS * PRICE_CENTS;
    return [
      {
        what: 'cents over the cap',
        unit: '¢',
        values: [total.netCents - capCents],
        goal: { of: 'median', atLeast: 0, atMost: 0 },
      },
    ];
  });
}

export function loadTrials(
  { seconds }: Pick<BenchRun, 'seconds'>,
  { origin, pid }: Served,
  request: ReturnType<typeof trialRequests>,
): Promise<LoadResult> {
  return load({ url: `${origin}/v1/trials`, pid, seconds, request, expected: [201] });
}

export function figureOf(what: string, results: readonly LoadResult[]): Figure {
  return {
    what,
    unit: '/s',
    values: results.map((one) => one.rate),
    p50Ms: median(results.map((one) => one.p50Ms)),
    p99Ms: median(results.map((one) => one.p99Ms)),
    cpuUs: median(results.map((one) => one.cpuUs)),
  };
}

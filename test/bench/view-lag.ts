/** How far live views lag while trials are written as fast as they can be, as a buyer sees it. */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Bench } from './bench.ts';
import type { LoadRequest } from './load.ts';
import { newMarket, trialRequests } from './market.ts';
import { type Served, serveMarket, untilReady } from './servers.ts';
import { percentile } from './statistics.ts';
import { figureOf, loadTrials } from './trials.ts';

const LOOK_EVERY_MS = 1;
/** Between two samples, so that they are no load of their own. */
const REST_MS = 20;
const PATIENCE_MS = 10_000;

const created = z.object({ data: z.object({ id: z.string() }) });
const listed = z.object({ data: z.array(z.object({ id: z.string() })) });

export const viewLag: Bench = {
  name: 'B8+B4',
  title:
    'from the answer to a trial until the list of jobs shows it, while trials are written by 32 connections',
  isDurable: true,
  async run(run) {
    const { dataDir, buyers } = await newMarket(run, 501);
    const [watcher, ...others] = buyers;
    if (watcher === undefined) throw new Error('no buyers were made');
    const market = await serveMarket(run, dataDir);
    await untilReady(market);
    const [own, post] = [trialRequests([watcher]), trialRequests(others)];
    await loadTrials(run, market, post);
    const lags: (readonly number[])[] = [];
    const writes = [];
    for (let round = 0; round < run.rounds; round += 1) {
      const [seen, writing] = await Promise.all([
        lagsOf(market, own, run.seconds),
        loadTrials(run, market, post),
      ]);
      lags.push(seen);
      writes.push(writing);
    }
    await market.stop();
    run.say(`  ${lags.flat().length} trials watched; the time of the read that shows one is in its lag`);
    const [p50, p99] = [0.5, 0.99].map((rank) => lags.map((one) => percentile(one, rank)));
    return [
      { what: 'until it is listed, p50', unit: 'ms', values: p50 ?? [] },
      { what: 'until it is listed, p99', unit: 'ms', values: p99 ?? [], goal: { of: 'median', atMost: 50 } },
      figureOf('the trials meanwhile', writes),
    ];
  },
};

/** One trial after the other for so many seconds; the lag of each in milliseconds. */
async function lagsOf(market: Served, request: () => LoadRequest, seconds: number): Promise<number[]> {
  const lags: number[] = [];
  const endsMs = performance.now() + seconds * 1_000;
  while (performance.now() < endsMs) {
    lags.push(await lagOf(market, request()));
    await pause(REST_MS);
  }
  return lags;
}

async function lagOf({ origin }: Served, { method, headers, body = '' }: LoadRequest): Promise<number> {
  const answer = await fetch(`${origin}/v1/trials`, { method, headers, body });
  const { id } = created.parse(await answer.json()).data;
  const answeredMs = performance.now();
  const { authorization = '' } = headers;
  for (;;) {
    const newest = await fetch(`${origin}/v1/jobs?limit=1`, { headers: { authorization } });
    const { data } = listed.parse(await newest.json());
    const lagMs = performance.now() - answeredMs;
    if (data[0]?.id === id) return lagMs;
    if (lagMs > PATIENCE_MS) throw new Error(`${id} is not listed after ${PATIENCE_MS} ms`);
    await pause(LOOK_EVERY_MS);
  }
}

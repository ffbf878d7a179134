/**
 * Three api processes beside one, on the same shared engines, with a projector and a worker. On one machine they share
 * its cores with the engines and the load: what is to be seen is what sharing costs, not what more machines give.
 */
import { join } from 'node:path';
import { openMarket } from '../../src/composition/app.ts';
import { readConfig } from '../../src/settings/config.ts';
import { createLog } from '../../src/logging/log.ts';
import type { CreatedKey } from '../../src/operations/keys/create-key.ts';
import type { Role } from '../../src/settings/roles.ts';
import { freePort } from '../support/ports.ts';
import type { Settings } from '../support/served-market.ts';
import { engineSets } from '../support/engine-sets.ts';
import type { Bench, BenchRun, Figure } from './bench.ts';
import { startChild } from './children.ts';
import { CONNECTIONS, load, type LoadPlan, type LoadResult } from './load.ts';
import { newBuyers, trialRequests } from './market.ts';
import { AGENT_PATH, NO_LIMITS, untilReady, type Listening } from './servers.ts';
import { beside, ratiosOf } from './statistics.ts';
import { figureOf } from './trials.ts';

const APIS = 3;
const BUYERS = 200;

type Asked = Pick<LoadPlan, 'request' | 'expected'> & { readonly path: string };

export const fleet: Bench = {
  name: 'fleet',
  title: `${APIS} api processes beside one, on shared engines`,
  isDurable: true,
  async run(run) {
    const figures: Figure[] = [];
    for (const engines of engineSets.filter(({ isShared }) => isShared)) {
      if (engines.missing !== null) run.say(`  not on ${engines.name}: ${engines.missing}`);
      else {
        const running = await engines.start();
        figures.push(...(await measureOn(run, engines.name, running.settings)));
        await running.close();
      }
    }
    return figures;
  },
};

async function measureOn(run: BenchRun, name: string, engines: Settings): Promise<Figure[]> {
  const buyers = await preparedBuyers(engines);
  const roles: readonly Role[] = [
    'projector',
    'worker',
    ...Array.from({ length: APIS }, () => 'api' as const),
  ];
  const processes = await Promise.all(roles.map((role) => startRole(run, engines, role)));
  const apis = processes.filter((_, i) => roles[i] === 'api');
  const asked: Readonly<Record<string, Asked>> = {
    reads: { path: AGENT_PATH },
    trials: { path: '/v1/trials', request: trialRequests(buyers), expected: [201] },
  };
  const figures: Figure[] = [];
  for (const [what, ask] of Object.entries(asked)) {
    const measured = await beside(
      run.rounds,
      () => loadAll(run, apis.slice(0, 1), ask),
      () => loadAll(run, apis, ask),
    );
    figures.push(figureOf(`${what} at one api: ${name}`, measured.ceilings), {
      ...figureOf(`${what} at ${APIS}: ${name}`, measured.own),
      against: { what: 'one api', ...ratiosOf(measured) },
    });
  }
  await Promise.all(processes.map(({ stop }) => stop()));
  return figures;
}

async function preparedBuyers(settings: Settings): Promise<readonly CreatedKey[]> {
  const market = await openMarket(readConfig(settings), createLog('error'));
  try {
    await market.seed();
    const buyers = await newBuyers(market, BUYERS);
    await market.catchUp();
    return buyers;
  } finally {
    await market.close();
  }
}

async function startRole({ root }: BenchRun, engines: Settings, role: Role): Promise<Listening> {
  const port = String(await freePort());
  const child = startChild(join(root, 'dist/bourse.js'), ['serve', '--role', role], {
    env: { ...engines, PORT: port, ...NO_LIMITS, LOG_LEVEL: 'error' },
    isFree: true,
  });
  const served = { origin: `http://127.0.0.1:${port}`, pid: child.pid, stop: child.stop };
  await untilReady(served);
  return served;
}

/** The same number of connections, divided among them. */
async function loadAll(
  { seconds }: BenchRun,
  apis: readonly Listening[],
  { path, request, expected }: Asked,
): Promise<LoadResult> {
  const connections = Math.ceil(CONNECTIONS / apis.length);
  const results = await Promise.all(
    apis.map(({ origin, pid }) =>
      load({
        url: origin + path,
        pid,
        seconds,
        connections,
        ...(request && { request }),
        ...(expected && { expected }),
      }),
    ),
  );
  return {
    rate: sum(results.map((one) => one.rate)),
    p50Ms: Math.max(...results.map((one) => one.p50Ms)),
    p99Ms: Math.max(...results.map((one) => one.p99Ms)),
    cpuUs: sum(results.map((one) => one.cpuUs * one.rate)) / sum(results.map((one) => one.rate)),
    byStatus: new Map(),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

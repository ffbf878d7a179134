/** B2, B3 and B15 as far as the directory goes: lists and searches over many agents, and what growth costs. */
import { listAgents } from '../../src/operations/directory/list-agents.ts';
import type { Call } from '../../src/operations/operation.ts';
import type { Bench, BenchRun, Figure } from './bench.ts';
import { bigDirectory } from './big-directory.ts';
import { load, type LoadResult } from './load.ts';
import { inMarket, newMarket } from './market.ts';
import { AGENT_PATH, bodyBytes, serveConstant, serveMarket, untilReady } from './servers.ts';
import { beside, ratiosOf } from './statistics.ts';
import { figureOf } from './trials.ts';

const MANY = 3_500;
const VERY_MANY = 100_000;
/** What a seeded market has is 42; so many are about a hundred times that. */
const HUNDREDFOLD = 4_200;
const LIST_PATH = '/v1/agents?category=finance&sort=name&limit=20';

export const agentList: Bench = {
  name: 'B2',
  title: `GET ${LIST_PATH} of ${MANY} agents`,
  isDurable: false,
  async run(run) {
    const { rounds, seconds } = run;
    const market = await serveMarket(run, await bigDirectory(run, run.isQuick ? 100 : MANY));
    await untilReady(market);
    const url = market.origin + LIST_PATH;
    await load({ url, pid: market.pid, seconds });
    const bytes = await bodyBytes(url);
    const express = await serveConstant('express', bytes);
    const node = await serveConstant('node', bytes);
    const own = (): Promise<LoadResult> => load({ url, pid: market.pid, seconds });
    const byExpress = await beside(rounds, () => load({ ...express, seconds }), own);
    const byNode = await beside(rounds, () => load({ ...node, seconds }), own);
    await Promise.all([market.stop(), express.stop(), node.stop()]);
    return [
      figureOf(`Express constant of ${bytes} bytes`, byExpress.ceilings),
      figureOf(`node:http constant of ${bytes} bytes`, byNode.ceilings),
      {
        ...figureOf('20 agents, beside Express', byExpress.own),
        against: { what: 'Express', ...ratiosOf(byExpress) },
        goal: { of: 'ratio', atLeast: 0.7 },
      },
      {
        ...figureOf('20 agents, beside node:http', byNode.own),
        against: { what: 'node:http', ...ratiosOf(byNode) },
        goal: { of: 'ratio', atLeast: 0.3 },
      },
    ];
  },
};

export const search: Bench = {
  name: 'B3',
  title: `search with a filter over ${MANY} and ${VERY_MANY} agents, in process`,
  isDurable: false,
  async run(run) {
    const figures: Figure[] = [];
    for (const agents of run.isQuick ? [100] : [MANY, VERY_MANY]) {
      const dataDir = await bigDirectory(run, agents);
      const goals = agents === VERY_MANY ? { common: 700, rare: 20_000 } : { common: 10_000, rare: 20_000 };
      figures.push(
        await searched(run, dataDir, {
          what: `common word of ${agents}`,
          q: 'invoice',
          atLeast: goals.common,
        }),
        await searched(run, dataDir, { what: `rare word of ${agents}`, q: 'quagga', atLeast: goals.rare }),
        await searched(run, dataDir, { what: 'the common word again and again', q: 'invoice' }),
      );
    }
    return figures;
  },
};

export const growth: Bench = {
  name: 'B15',
  title: `GET ${AGENT_PATH} with a hundred times the agents`,
  isDurable: false,
  async run(run) {
    const { rounds, seconds } = run;
    const { dataDir } = await newMarket(run, 0);
    const few = await serveMarket(run, dataDir);
    const more = run.isQuick ? 100 : HUNDREDFOLD;
    const many = await serveMarket(run, await bigDirectory(run, more));
    await Promise.all([untilReady(few), untilReady(many)]);
    const read = ({ origin, pid }: typeof few) => load({ url: origin + AGENT_PATH, pid, seconds });
    await read(few);
    await read(many);
    const measured = await beside(
      rounds,
      () => read(few),
      () => read(many),
    );
    await Promise.all([few.stop(), many.stop()]);
    return [
      figureOf('of 42 agents', measured.ceilings),
      {
        ...figureOf(`of ${more} more`, measured.own),
        against: { what: '42 agents', ...ratiosOf(measured) },
        goal: { of: 'ratio', atLeast: 0.83 },
      },
    ];
  },
};

interface Searching {
  readonly what: string;
  readonly q: string;
  /** Of searches a second, each of them new; without it the same one is repeated, which is answered from memory. */
  readonly atLeast?: number;
}

/** Searches for as long as a round takes, one after another. */
async function searched(
  { rounds, seconds }: BenchRun,
  dataDir: string,
  { what, q, atLeast }: Searching,
): Promise<Figure> {
  const values = await inMarket(dataDir, async ({ services }) => {
    const rates: number[] = [];
    let asked = 0;
    for (let round = 0; round <= rounds; round += 1) {
      const startedMs = performance.now();
      let done = 0;
      while (performance.now() - startedMs < seconds * 1_000) {
        // Dearer than any agent is: it makes the question another one, and leaves the answer as it is.
        const maxPriceCents = atLeast === undefined ? undefined : DEAR_CENTS + asked;
        const outcome = await listAgents.run(
          { q, category: 'finance', maxPriceCents, limit: 20 },
          CALL,
          services,
        );
        asked += 1;
        if (!outcome.ok) throw new Error(outcome.refusal.message);
        done += 1;
      }
      // The first round warms up.
      if (round > 0) rates.push((done * 1_000) / (performance.now() - startedMs));
    }
    return rates;
  });
  return { what, unit: '/s', values, ...(atLeast === undefined ? {} : { goal: { of: 'median', atLeast } }) };
}

const DEAR_CENTS = 1_000_000_000;
const CALL: Call = {
  caller: null,
  requestId: 'bench',
  at: '2026-11-27T09:30:00.000Z',
  commandId: 'bench',
  signal: new AbortController().signal,
};

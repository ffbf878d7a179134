/** B1: the public read of one agent, with all that an answer carries. */
import type { Bench } from './bench.ts';
import { load } from './load.ts';
import { newMarket } from './market.ts';
import { AGENT_PATH, bodyBytes, serveConstant, serveMarket, untilReady } from './servers.ts';
import { beside, ratiosOf } from './statistics.ts';
import { figureOf } from './trials.ts';

export const agentRead: Bench = {
  name: 'B1',
  title: `GET ${AGENT_PATH}: limit counted, request id, ETag, all headers, logged`,
  isDurable: false,
  async run({ rounds, seconds, ...run }) {
    const { dataDir } = await newMarket({ rounds, seconds, ...run }, 0);
    const market = await serveMarket({ rounds, seconds, ...run }, dataDir);
    await untilReady(market);
    const url = market.origin + AGENT_PATH;
    await load({ url, pid: market.pid, seconds });
    const bytes = await bodyBytes(url);
    const express = await serveConstant('express', bytes);
    const node = await serveConstant('node', bytes);
    const own = () => load({ url, pid: market.pid, seconds });
    const byExpress = await beside(rounds, () => load({ ...express, seconds }), own);
    const byNode = await beside(rounds, () => load({ ...node, seconds }), own);
    await Promise.all([market.stop(), express.stop(), node.stop()]);
    return [
      figureOf(`Express constant of ${bytes} bytes`, byExpress.ceilings),
      figureOf(`node:http constant of ${bytes} bytes`, byNode.ceilings),
      {
        ...figureOf('an agent, beside Express', byExpress.own),
        against: { what: 'Express', ...ratiosOf(byExpress) },
        goal: { of: 'ratio', atLeast: 0.9 },
      },
      {
        ...figureOf('an agent, beside node:http', byNode.own),
        against: { what: 'node:http', ...ratiosOf(byNode) },
        goal: { of: 'ratio', atLeast: 0.5 },
      },
    ];
  },
};

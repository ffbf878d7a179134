/** B10: one tool call over MCP, beside the SDK's own stateless server and beside the least that answers at all. */
import type { Bench, Figure } from './bench.ts';
import { freePort } from '../support/ports.ts';
import { startGauge } from './children.ts';
import { load, type LoadRequest } from './load.ts';
import { newMarket } from './market.ts';
import { residentMib, serveMarket, untilReady } from './servers.ts';
import { beside } from './statistics.ts';
import { figureOf } from './trials.ts';

const CALLS = 100_000;
const QUICK_CALLS = 2_000;

export const mcpCall: Bench = {
  name: 'B10',
  title: 'MCP tools/call get_agent_evidence, all tools registered, stateless',
  isDurable: false,
  async run(run) {
    const { seconds } = run;
    const { dataDir } = await newMarket(run, 0);
    const market = await serveMarket(run, dataDir);
    await untilReady(market);
    const url = `${market.origin}/mcp`;
    const own = () => load({ url, pid: market.pid, seconds, request: toolCall });
    await own();
    const answer = await fetch(url, toolCall()).then((response) => response.text());
    const sdk = await servePeer('sdk', answer);
    const hand = await servePeer('hand', answer);
    const peer = (one: Peer) => () => load({ ...one, seconds, request: toolCall });
    const bySdk = await beside(run.rounds, peer(sdk), own);
    const byHand = await beside(run.rounds, peer(hand), own);
    const memory = await memoryFigure(own, () => residentMib(market), run.isQuick ? QUICK_CALLS : CALLS);
    await Promise.all([market.stop(), sdk.stop(), hand.stop()]);
    return [
      figureOf('SDK, stateless, one tool', bySdk.ceilings),
      figureOf('by hand, nothing checked', byHand.ceilings),
      {
        ...figureOf('a call, beside the SDK', bySdk.own),
        against: { what: 'SDK', ...bySdk },
        goal: { of: 'ratio', atLeast: 2 },
      },
      {
        ...figureOf('a call, beside one by hand', byHand.own),
        against: { what: 'by hand', ...byHand },
        goal: { of: 'ratio', atLeast: 0.8 },
      },
      memory,
    ];
  },
};

interface Peer {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** A server that answers every call of the tool with `answer`, put together anew from the parsed document. */
async function servePeer(kind: 'sdk' | 'hand', answer: string): Promise<Peer> {
  const port = await freePort();
  const gauge = await startGauge<unknown>('mcp-peer.main.ts', [kind, String(port), answer]);
  return { url: `http://127.0.0.1:${port}/mcp`, pid: gauge.pid, stop: gauge.stop };
}

function toolCall(): LoadRequest & { readonly body: string } {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_agent_evidence', arguments: { slug: 'invoice-matcher' } },
    }),
  };
}

/** What is resident more after so many calls than before them, when the server has long been warm. */
async function memoryFigure(
  own: () => Promise<{ readonly byStatus: ReadonlyMap<number, number> }>,
  residentNow: () => number,
  calls: number,
): Promise<Figure> {
  const before = residentNow();
  for (let made = 0; made < calls;) {
    const { byStatus } = await own();
    made += byStatus.get(200) ?? 0;
  }
  return {
    what: `memory grown in ${calls.toLocaleString('en')} calls`,
    unit: 'MiB',
    values: [residentNow() - before],
    goal: { of: 'median', atMost: 8 },
  };
}

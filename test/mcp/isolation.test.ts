/** Nothing is shared between requests, and work ends when nobody waits for it. */
import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import { createLog } from '../../src/logging/log.ts';
import { localAnswerer } from '../../src/mcp/local-answerer.ts';
import { createMcp } from '../../src/mcp/methods.ts';
import { serveStdio } from '../../src/mcp/stdio.ts';
import { type McpApi, rpc, SEEDING_TIMEOUT_MS, startMcp } from './mcp-fixture.ts';
import { eitherTool, endlessWork, serveTools, slowTool } from './slow-tools.ts';

const called = (name: string, n: number) => ({
  jsonrpc: '2.0',
  // The same ids for everybody: only the connection tells them apart.
  id: n,
  method: 'tools/call',
  params: { name, arguments: { n } },
});

describe('MCP requests', () => {
  let api: McpApi;
  before(async function () {
    this.timeout(SEEDING_TIMEOUT_MS);
    api = await startMcp();
  });
  after(() => api.close());

  it('of two buyers, 100 at once with the same ids: each sees only its own', async () => {
    const { url, close } = await serveTools(api.services, [slowTool]);
    const buyers = [await api.newKey(), await api.newKey()];
    const asked = buyers.flatMap(({ key, accountId }) =>
      Array.from({ length: 50 }, (_, n) => ({ key, accountId, n })),
    );
    const answers = await Promise.all(
      asked.map(({ key, n }) => rpc(url, called('slow', n), { Authorization: `Bearer ${key}` })),
    );
    asked.forEach(({ accountId, n }, at) => {
      expect(answers[at]?.body.id).to.equal(n);
      expect(answers[at]?.body.result?.structuredContent).to.deep.equal({ n, accountId });
    });
    close();
  });

  it('of holders of either scope are let in, of others not', async () => {
    const { url, close } = await serveTools(api.services, [eitherTool]);
    for (const [scope, isIn] of [
      ['audit:read', true],
      ['mandate:read', true],
      ['jobs:read', false],
    ] as const) {
      const { key } = await api.newKey({ scopes: [scope] });
      const { body } = await rpc(url, called('either', 1), { Authorization: `Bearer ${key}` });
      expect(body.result?.structuredContent !== undefined, scope).to.equal(isIn);
    }
    close();
  });

  it('that are 100 trials of two buyers at once: each pays for its own, once', async () => {
    const buyers = [await api.newKey(), await api.newKey()];
    const listed = await rpc(api.mcpUrl, {
      ...called('search_agents', 1),
      params: { name: 'search_agents', arguments: { sort: 'priceCents', limit: 1 } },
    });
    const agent = listed.body.result?.structuredContent?.agents[0];
    const keys = Array.from({ length: 50 }, (_, at) => `parallel-${at % 5}`);
    for (const { jobs } of await Promise.all(
      buyers.map(async ({ key }) => {
        const answers = await Promise.all(
          keys.map((idempotencyKey) =>
            rpc(
              api.mcpUrl,
              {
                ...called('create_trial_run', 1),
                params: {
                  name: 'create_trial_run',
                  arguments: { agent: agent?.slug, brief: 'One of many.', idempotencyKey },
                },
              },
              { Authorization: `Bearer ${key}` },
            ),
          ),
        );
        return { jobs: answers.map(({ body }) => body.result?.structuredContent?.id) };
      }),
    )) {
      expect(new Set(jobs).size).to.equal(5);
      keys.forEach((key, at) => expect(jobs[at]).to.equal(jobs[keys.indexOf(key)]));
    }
  });

  it('end when the client hangs up', async () => {
    const work = endlessWork();
    const { url, close } = await serveTools(api.services, [work.tool]);
    const hangUp = new AbortController();
    const asked = fetch(url, {
      method: 'POST',
      signal: hangUp.signal,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(called('endless', 1)),
    });
    await work.begun;
    hangUp.abort();
    await asked.then(
      () => expect.fail('answered'),
      () => undefined,
    );
    await work.ended;
    close();
  });

  it('end over stdio when they are taken back, and are then not answered', async () => {
    const work = endlessWork();
    const [input, output] = [new PassThrough(), new PassThrough()];
    const mcp = createMcp(api.services, createLog('silent'), [work.tool]);
    const served = serveStdio(localAnswerer(mcp, undefined), {
      input,
      output,
      complain: (line) => expect.fail(line),
    });
    const say = (message: object): void => void input.write(`${JSON.stringify(message)}\n`);
    say(called('endless', 7));
    await work.begun;
    say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
    await work.ended;
    say({ jsonrpc: '2.0', id: 8, method: 'ping' });
    input.end();
    await served;
    expect(String(output.read()).trim()).to.equal('{"jsonrpc":"2.0","id":8,"result":{}}');
  });
});

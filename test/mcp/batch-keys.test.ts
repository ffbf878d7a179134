/** The requests of a batch run one after another: a key that ends on the way does no more. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { z } from 'zod';
import { MOMENT_MS } from '../../src/calling/admission.ts';
import { tool } from '../../src/mcp/tool.ts';
import { freezeKey } from '../../src/operations/keys/freeze-key.ts';
import { defineOperation } from '../../src/operations/operation.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { rpc } from './mcp-fixture.ts';
import { serveTools } from './slow-tools.ts';

const FREEZE = { type: 'FreezeApiKey', by: 'owner', reason: 'odd calls' } as const;

describe('A batch whose key is frozen by its second request', () => {
  let api: TestApi;
  let runs = 0;
  before(async () => (api = await startApi()));
  after(() => api.close());

  const freezing = tool(
    defineOperation({
      name: 'freezing',
      summary: 'Freezes.',
      description: 'Freezes.',
      tag: 'operations',
      kind: 'query',
      scope: 'jobs:read',
      input: z.strictObject({}),
      output: z.strictObject({ runs: z.int().meta({ description: 'How often it ran.', example: 1 }) }),
      refusals: [],
      example: { input: {}, output: { runs: 1 } },
      async run(_input, { caller, at }, services) {
        runs += 1;
        if (runs === 2) {
          const cause = { at, actor: 'cli', requestId: 'test', commandId: randomUUID() };
          await freezeKey(services, caller.keyId, FREEZE, cause);
          // This is what makes the request slow.
          await pause(MOMENT_MS + 10);
        }
        return { ok: true, data: { runs } };
      },
    }),
    { title: 'Freezing', description: 'Freezes its key.', name: 'freezing' },
  );

  it('answers what was done before, and refuses the rest under their own ids', async () => {
    const { key } = await api.newKey({ scopes: ['jobs:read'] });
    const { url, close } = await serveTools(api.services, [freezing]);
    const batch = [1, 2, 3, 4].map((id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'freezing', arguments: {} },
    }));
    const { status, text } = await rpc(url, batch, { Authorization: `Bearer ${key}` });
    expect(status, text).to.equal(200);
    const told = z
      .array(
        z.object({
          id: z.int(),
          result: z.object({ structuredContent: z.object({ runs: z.int() }) }).optional(),
          error: z.object({ data: z.object({ code: z.string() }) }).optional(),
        }),
      )
      .parse(JSON.parse(text))
      .map(({ id, result, error }) => [id, result?.structuredContent.runs ?? error?.data.code]);
    expect(told).to.deep.equal([
      [1, 1],
      [2, 2],
      [3, 'forbidden'],
      [4, 'forbidden'],
    ]);
    expect(runs).to.equal(2);
    close();
  });
});

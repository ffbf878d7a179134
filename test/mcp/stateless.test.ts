/** Revision 2026-07-28: no hello, everything in each message, and headers that say the same as the body. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { tools } from '../../src/mcp/tools.ts';
import { META } from '../../src/mcp/revisions.ts';
import { type McpApi, SEEDING_TIMEOUT_MS, startMcp } from './mcp-fixture.ts';

const VERSION = '2026-07-28';
const INVALID_PARAMS = -32_602;
const METHOD_NOT_FOUND = -32_601;
const HEADER_MISMATCH = -32_020;
const UNSUPPORTED_VERSION = -32_022;

const envelope = { [META.protocolVersion]: VERSION, [META.clientCapabilities]: {} };
const message = (method: string, params: object = {}, meta: object = envelope) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { ...params, _meta: meta },
});
const headersFor = (method: string, name?: string): Record<string, string> => ({
  'MCP-Protocol-Version': VERSION,
  'Mcp-Method': method,
  ...(name === undefined ? {} : { 'Mcp-Name': name }),
});

describe('MCP without a handshake', () => {
  let api: McpApi;
  before(async function () {
    this.timeout(SEEDING_TIMEOUT_MS);
    api = await startMcp();
  });
  after(() => api.close());

  describe('by the client of SDK 2.x', () => {
    const connect = async (mode: 'auto' | 'legacy' | { pin: string }, key?: string): Promise<Client> => {
      const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
      const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(
        new StreamableHTTPClientTransport(new URL(api.mcpUrl), { requestInit: { headers } }),
      );
      return client;
    };

    for (const [mode, version] of [
      ['auto', VERSION],
      [{ pin: VERSION }, VERSION],
      ['legacy', '2025-11-25'],
    ] as const) {
      it(`${JSON.stringify(mode)}: comes to ${version}, and everything works`, async () => {
        const { key } = await api.newKey();
        const client = await connect(mode, key);
        expect(client.getNegotiatedProtocolVersion()).to.equal(version);
        expect(client.getInstructions()).to.include('Bourse');
        expect((await client.listTools()).tools).to.have.length(tools.length);
        expect((await client.listResources()).resources).to.have.length(1);
        expect((await client.listPrompts()).prompts).to.have.length(2);
        const found = await client.callTool({ name: 'search_agents', arguments: { limit: 1 } });
        const [agent] = (found.structuredContent as { agents: { slug: string }[] }).agents;
        const missing = await client.callTool({ name: 'get_agent_evidence', arguments: { slug: 'nobody' } });
        expect(missing.isError).to.equal(true);
        const bought = await client.callTool({
          name: 'create_trial_run',
          arguments: { agent: agent?.slug, brief: 'Naïve café, 日本語.', idempotencyKey: 'stateless' },
        });
        expect(bought.structuredContent).to.include({ status: 'draft' });
        const uri = `bourse://agents/${agent?.slug}`;
        expect((await client.readResource({ uri })).contents).to.have.length(1);
        await client.readResource({ uri: 'bourse://agents/日本' }).then(
          () => expect.fail('read what is not there'),
          (error: { code: number }) => expect(error.code).to.be.oneOf([-32_002, INVALID_PARAMS]),
        );
        await client.close();
      });
    }
  });

  describe('on the wire', () => {
    it('discovers, and says how long that may be kept and who answers', async () => {
      const { status, body } = await api.rpc(message('server/discover'), headersFor('server/discover'));
      expect(status).to.equal(200);
      expect(body.result).to.deep.include({
        supportedVersions: [VERSION],
        capabilities: { tools: {}, resources: {}, prompts: {} },
        resultType: 'complete',
        cacheScope: 'public',
      });
      expect(body.result?.['ttlMs']).to.be.greaterThan(0);
      expect(JSON.stringify(body.result?.['_meta'])).to.include(META.serverInfo).and.to.include('bourse');
    });

    it('puts the kind of result into every result', async () => {
      for (const [method, params, name] of [
        ['tools/list', {}],
        ['resources/list', {}],
        ['resources/templates/list', {}],
        ['prompts/list', {}],
        ['resources/read', { uri: 'bourse://methodology' }, 'bourse://methodology'],
        ['tools/call', { name: 'search_agents', arguments: { limit: 1 } }, 'search_agents'],
        ['prompts/get', { name: 'check_agent_evidence', arguments: { slug: 'a' } }, 'check_agent_evidence'],
      ] as const) {
        const { body } = await api.rpc(message(method, params), headersFor(method, name));
        expect(body.result, method).to.include({ resultType: 'complete' });
        const isCacheable = !['tools/call', 'prompts/get'].includes(method);
        expect(body.result?.['ttlMs'] !== undefined, method).to.equal(isCacheable);
      }
    });

    const cases: readonly [string, unknown, Record<string, string>, number, number][] = [
      ['no header of the revision', message('tools/list'), {}, 400, HEADER_MISMATCH],
      [
        'no header of the method',
        message('tools/list'),
        { 'MCP-Protocol-Version': VERSION },
        400,
        HEADER_MISMATCH,
      ],
      [
        'another method in the header',
        message('tools/list'),
        headersFor('prompts/list'),
        400,
        HEADER_MISMATCH,
      ],
      [
        'another revision in the header',
        message('tools/list'),
        { ...headersFor('tools/list'), 'MCP-Protocol-Version': '2025-11-25' },
        400,
        HEADER_MISMATCH,
      ],
      [
        'no name in the header',
        message('tools/call', { name: 'search_agents' }),
        headersFor('tools/call'),
        400,
        HEADER_MISMATCH,
      ],
      [
        'another name in the header',
        message('tools/call', { name: 'create_trial_run' }),
        headersFor('tools/call', 'search_agents'),
        400,
        HEADER_MISMATCH,
      ],
      [
        'a hello under the new header',
        { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: VERSION } },
        headersFor('initialize'),
        400,
        HEADER_MISMATCH,
      ],
      [
        'no _meta',
        { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        headersFor('tools/list'),
        400,
        INVALID_PARAMS,
      ],
      [
        'no capabilities in _meta',
        message('tools/list', {}, { [META.protocolVersion]: VERSION }),
        headersFor('tools/list'),
        400,
        INVALID_PARAMS,
      ],
      [
        'a revision to come',
        message('tools/list', {}, { ...envelope, [META.protocolVersion]: '2027-01-01' }),
        { ...headersFor('tools/list'), 'MCP-Protocol-Version': '2027-01-01' },
        400,
        UNSUPPORTED_VERSION,
      ],
      ['a hello in the new form', message('initialize'), headersFor('initialize'), 404, METHOD_NOT_FOUND],
      ['ping, which is gone', message('ping'), headersFor('ping'), 404, METHOD_NOT_FOUND],
      [
        'an unknown tool',
        message('tools/call', { name: 'lost' }),
        headersFor('tools/call', 'lost'),
        200,
        INVALID_PARAMS,
      ],
      [
        'an unknown resource',
        message('resources/read', { uri: 'bourse://agents/nobody' }),
        headersFor('resources/read', 'bourse://agents/nobody'),
        200,
        INVALID_PARAMS,
      ],
    ];
    for (const [what, body, headers, status, code] of cases) {
      it(`${what}: ${status}, ${code}`, async () => {
        const answer = await api.rpc(body, headers);
        expect(answer.status, answer.text).to.equal(status);
        expect(answer.body.error, answer.text).to.include({ code });
        expect(answer.body.id).to.equal(1);
      });
    }

    it('says which revisions it speaks when it does not speak one', async () => {
      const { body } = await api.rpc(
        message('server/discover', {}, { ...envelope, [META.protocolVersion]: '2027-01-01' }),
        { ...headersFor('server/discover'), 'MCP-Protocol-Version': '2027-01-01' },
      );
      expect(body.error?.data).to.deep.equal({ supported: [VERSION], requested: '2027-01-01' });
    });

    it('reads names that no header can carry', async () => {
      const name = `=?base64?${Buffer.from('bourse://agents/日本').toString('base64')}?=`;
      const read = message('resources/read', { uri: 'bourse://agents/日本' });
      expect((await api.rpc(read, headersFor('resources/read', name))).status).to.equal(200);
    });

    it('takes notifications without headers of their own', async () => {
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
      expect((await api.rpc(cancelled, { 'MCP-Protocol-Version': VERSION })).status).to.equal(202);
    });

    it('asks for a key in a result', async () => {
      const call = message('tools/call', { name: 'get_job_status', arguments: {} });
      const { status, body } = await api.rpc(call, headersFor('tools/call', 'get_job_status'));
      expect(status).to.equal(200);
      expect(body.result).to.include({ isError: true, resultType: 'complete' });
    });

    it('leaves an old client alone that probes in the new form and falls back', async () => {
      const probe = await api.rpc({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: {} });
      expect([probe.status, probe.body.error?.code]).to.deep.equal([200, METHOD_NOT_FOUND]);
      const client = await api.connect();
      expect((await client.listTools()).tools).to.have.length(tools.length);
    });
  });
});

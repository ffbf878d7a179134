/** The Data API's tools: what they find is what REST answers, and each call counts against the plan of the account. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import { type DataApi, startDataApi } from '../support/data-api.ts';
import { connected, refusal } from './mcp-fixture.ts';

describe('The tools of the Data API', () => {
  let api: DataApi;
  const open: Client[] = [];
  before(async () => {
    api = await startDataApi();
    await api.importInto('tools', [{ name: 'Ledger Lens', category: 'Finance' }, { name: 'Zebra' }]);
    await api.importInto('models', [{ id: 'acme/Lens-2:free', name: 'Lens', pricing: { prompt: '-1' } }]);
    await api.importInto('directory/mcp/servers', [{ externalId: 'io.x/one', name: 'One' }]);
  });
  after(async () => {
    await Promise.all(open.map((client) => client.close()));
    await api.close();
  });

  async function connect(key: string | undefined): Promise<Client> {
    const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    const client = await connected(
      new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { requestInit: { headers } }),
    );
    open.push(client);
    return client;
  }
  const found = async (client: Client, name: string, args: Record<string, unknown>) => {
    const { isError, structuredContent } = await client.callTool({ name, arguments: args });
    expect(isError, name).to.not.equal(true);
    return structuredContent as Readonly<Record<string, unknown>>;
  };

  it('find what REST finds, and count as it does', async () => {
    const { key } = await api.customer('starter');
    const client = await connect(key);
    const rest = async (path: string) => (await api.read(path)).body;
    const tools = await rest('/api/v1/tools?q=lens');
    expect(await found(client, 'search_tools', { q: 'lens' })).to.deep.equal({
      tools: tools.data,
      ...tools.meta,
    });
    const models = await rest('/api/v1/models');
    expect(await found(client, 'search_models', {})).to.deep.equal({ models: models.data, ...models.meta });
    const model = await rest('/api/v1/models/acme/Lens-2:free');
    expect(await found(client, 'get_model', { id: 'acme/Lens-2:free' })).to.deep.equal(model.data);
    const servers = await rest('/api/v1/directory/mcp/servers?limit=5');
    const place = { platform: 'mcp', contentType: 'servers', limit: 5 };
    expect(await found(client, 'search_directory', place)).to.deep.equal({
      rows: servers.data,
      ...servers.meta,
    });
    const usage = await api.get('/api/v1/usage', { key });
    expect(usage.body.data['month']).to.include({ used: 4 });
    expect(usage.body.data['minute']).to.include({ used: 5 });
  });

  it('refuse so that a model knows what to do', async () => {
    const client = await connect((await api.customer('starter')).key);
    expect((await refusal(client, 'get_model', { id: 'acme/none' })).code).to.equal('not_found');
    const elsewhere = await refusal(client, 'search_directory', { platform: 'cursor', contentType: 'rules' });
    expect(elsewhere.told).to.include('there are mcp/servers');
    expect((await refusal(client, 'search_tools', { sort: 'name' })).told).to.include('search_tools takes q');
    const planless = await connect((await api.customer(null)).key);
    const refused = await refusal(planless, 'search_tools', {});
    expect([refused.code, refused.told.includes('no plan')]).to.deep.equal(['plan_required', true]);
    const scopeless = await connect((await api.customer('pro', { scopes: ['jobs:read'] })).key);
    expect((await refusal(scopeless, 'search_models', {})).code).to.equal('scope_missing');
    expect((await refusal(await connect(undefined), 'search_models', {})).code).to.equal('api_key_missing');
  });

  it('give JSON alone, and take no other form', async () => {
    const client = await connect((await api.customer('enterprise')).key);
    const place = { platform: 'mcp', contentType: 'servers' };
    for (const [name, args] of [
      ['search_tools', {}],
      ['search_models', {}],
      ['search_directory', place],
    ] as const) {
      const { told, code } = await refusal(client, name, { ...args, format: 'csv' });
      expect(code).to.equal('invalid_request');
      expect(told).to.include('format must be left out: a tool gives its rows as JSON');
      // As a client sends it that keeps an older list of the tools.
      for (const format of ['json', null, '']) await found(client, name, { ...args, format });
    }
    const { tools } = await client.listTools();
    for (const { inputSchema } of tools) expect(inputSchema.properties).to.not.have.property('format');
  });

  it('stop where the rate of the plan is used up', async () => {
    const { key } = await api.customer('starter');
    const client = await connect(key);
    await Promise.all(Array.from({ length: 60 }, () => api.get('/api/v1/tools', { key })));
    const refused = await refusal(client, 'search_tools', {});
    expect([refused.code, refused.told.includes('60 requests in any minute')]).to.deep.equal([
      'rate_limited',
      true,
    ]);
  });
});

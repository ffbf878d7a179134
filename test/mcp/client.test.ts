/** What the SDK's own client sees, with strict validation of every schema and answer. */
import { readFileSync } from 'node:fs';
import { SUPPORTED_PROTOCOL_VERSIONS, type Tool } from '@modelcontextprotocol/sdk/types.js';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { expect } from 'chai';
import { HANDSHAKE_REVISIONS, NEWEST_HANDSHAKE_REVISION } from '../../src/mcp/revisions.ts';
import { tools as registered } from '../../src/mcp/tools.ts';
import { data, type McpApi, refusal, SEEDING_TIMEOUT_MS, startMcp, type Structured } from './mcp-fixture.ts';

describe('MCP by the SDK’s client over HTTP', () => {
  let api: McpApi;
  let reader: Client;
  let tools: readonly Tool[];
  before(async function () {
    this.timeout(SEEDING_TIMEOUT_MS);
    api = await startMcp();
    reader = await api.connect();
    ({ tools } = await reader.listTools());
  });
  after(() => api.close());

  it('introduces itself with its version, its capabilities and instructions', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(reader.getServerVersion()).to.include({ name: 'bourse', version });
    expect(reader.getServerCapabilities()).to.deep.equal({ tools: {}, resources: {}, prompts: {} });
    expect(reader.getInstructions()).to.include('idempotencyKey').and.to.include('fundingUrl');
  });

  it('knows the revisions that the SDK knows', () => {
    expect(HANDSHAKE_REVISIONS).to.deep.equal(SUPPORTED_PROTOCOL_VERSIONS);
    expect(NEWEST_HANDSHAKE_REVISION).to.equal(SUPPORTED_PROTOCOL_VERSIONS[0]);
  });

  it('lists the tools without a key', () => {
    expect(tools.map(({ name }) => name)).to.deep.equal([
      'search_agents',
      'get_agent_evidence',
      'compare_agents',
      'search_bundles',
      'get_bundle_manifest',
      'search_agencies',
      'get_job_status',
      'create_trial_run',
      'check_spend',
      'get_mandate',
      'list_jobs',
      'cancel_job',
      'get_artifacts',
      'search_tools',
      'search_models',
      'get_model',
      'search_directory',
      'search',
      'fetch',
    ]);
  });

  it('describes every tool, argument and hint', () => {
    for (const { name, title, description = '', inputSchema, outputSchema, annotations = {} } of tools) {
      expect(title, name).to.be.a('string');
      // Widely used hosts cut what is longer.
      expect(description.length, name).to.be.within(200, 1_024);
      expect(annotations).to.have.all.keys(
        'title',
        'readOnlyHint',
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
      );
      expect(annotations.readOnlyHint, name).to.equal(!['create_trial_run', 'cancel_job'].includes(name));
      expect(annotations.destructiveHint, name).to.equal(name === 'cancel_job');
      expect(inputSchema, name).to.include({ type: 'object' });
      expect(outputSchema, name).to.include({ type: 'object' });
      for (const [field, schema] of Object.entries(inputSchema.properties ?? {})) {
        expect(schema, `${name} ${field}`).to.have.property('description');
      }
      expect(JSON.stringify([inputSchema, outputSchema]), name).to.not.include('$ref');
    }
  });

  it('names the arguments as REST does but for the form, with an idempotencyKey where money is spent', () => {
    for (const { name, operation } of registered) {
      const { inputSchema } = tools.find((tool) => tool.name === name)!;
      const own = operation.kind === 'command' ? ['idempotencyKey'] : [];
      expect(Object.keys(inputSchema.properties ?? {}), name).to.have.members([
        ...Object.keys(operation.input.shape).filter((field) => field !== 'format'),
        ...own,
      ]);
    }
  });

  it('names each refusal of an operation', () => {
    for (const { name, operation } of registered) {
      const { description } = tools.find((tool) => tool.name === name)!;
      for (const code of operation.refusals) expect(description, name).to.include(code);
    }
  });

  it('answers every tool with what its schema promises', async () => {
    const { key } = await api.newKey();
    const buyer = await api.connect(key);
    const { agents, total } = await data(buyer, 'search_agents', { limit: 5 });
    expect(agents).to.have.length(5);
    expect(total).to.be.greaterThan(5);
    const [first, second] = [agents[0]!, agents[1]!];
    await data(buyer, 'get_agent_evidence', { slug: first.slug });
    const { agents: compared } = await data(buyer, 'compare_agents', { slugs: [first.slug, second.slug] });
    expect(compared.map(({ slug }) => slug)).to.deep.equal([first.slug, second.slug]);
    const { bundles } = await data(buyer, 'search_bundles', {});
    await data(buyer, 'get_bundle_manifest', { slug: bundles[0]!.slug });
    await data(buyer, 'search_agencies', {});
    const job = await data(buyer, 'create_trial_run', {
      agent: first.slug,
      brief: 'Do it.',
      inputs: { rows: [1, { deep: null }] },
      idempotencyKey: 'client-1',
    });
    expect(await data(buyer, 'get_job_status', { jobId: job.id })).to.deep.equal(job);
  });

  it('follows cursors through every row once', async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Structured = await data(reader, 'search_agents', {
        limit: 7,
        sort: 'name',
        ...(cursor === null ? {} : { cursor }),
      });
      seen.push(...page.agents.map(({ slug }) => slug));
      cursor = page.nextCursor;
    } while (cursor !== null);
    const { total } = await data(reader, 'search_agents', { limit: 1 });
    expect(new Set(seen).size).to.equal(seen.length).and.to.equal(total);
  });

  it('refuses in a way that a model can act on, and that breaks no schema', async () => {
    expect(await refusal(reader, 'get_agent_evidence', { slug: 'nobody' })).to.include({ code: 'not_found' });
    const unknown = await refusal(reader, 'search_agents', { query: 'invoice' });
    expect(unknown.code).to.equal('invalid_request');
    expect(unknown.details).to.deep.equal([{ path: 'query', message: 'is not a known field' }]);
    expect(unknown.told).to.include('search_agents takes q, category');
    const cursor = await refusal(reader, 'search_agents', { cursor: 'forged' });
    expect(cursor.told).to.include('start from the first page');
    expect((await refusal(reader, 'compare_agents', { slugs: ['one'] })).details?.[0]?.path).to.equal(
      'slugs',
    );
  });

  it('asks for the key and for the scope, and goes on', async () => {
    expect(await refusal(reader, 'get_job_status', { jobId: 'job_x' })).to.include({
      code: 'api_key_missing',
    });
    const { key } = await api.newKey({ scopes: ['jobs:read'] });
    const narrow = await api.connect(key);
    expect(await refusal(narrow, 'create_trial_run', {})).to.include({ code: 'scope_missing' });
    await data(narrow, 'search_agents', {});
  });

  it('offers resources that are what REST answers', async () => {
    const { resources } = await reader.listResources();
    expect(resources.map(({ uri }) => uri)).to.deep.equal(['bourse://methodology']);
    const { resourceTemplates } = await reader.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).to.deep.equal([
      'bourse://agents/{slug}',
      'bourse://bundles/{slug}/manifest',
    ]);
    const { bundles } = await data(reader, 'search_bundles', { limit: 1 });
    const { agents } = await data(reader, 'search_agents', { limit: 1 });
    const pairs = [
      ['bourse://methodology', '/v1/methodology'],
      [`bourse://agents/${agents[0]!.slug}`, `/v1/agents/${agents[0]!.slug}`],
      [`bourse://bundles/${bundles[0]!.slug}/manifest`, `/v1/bundles/${bundles[0]!.slug}`],
    ] as const;
    for (const [uri, path] of pairs) {
      const { contents } = await reader.readResource({ uri });
      const [content] = contents;
      expect(content).to.include({ uri, mimeType: 'application/json' });
      const text = content !== undefined && 'text' in content ? content.text : '';
      expect(JSON.parse(text)).to.deep.equal((await api.get(path)).body.data);
    }
  });

  it('offers two prompts and names what is missing in their arguments', async () => {
    const { prompts } = await reader.listPrompts();
    expect(prompts.map(({ name }) => name)).to.deep.equal(['choose_agent', 'check_agent_evidence']);
    const { messages } = await reader.getPrompt({
      name: 'choose_agent',
      arguments: { task: 'Match my invoices', budget: '20 USD' },
    });
    expect(JSON.stringify(messages)).to.include('Match my invoices').and.to.include('20 USD');
    await reader.getPrompt({ name: 'check_agent_evidence', arguments: {} }).then(
      () => expect.fail('written without a slug'),
      (error: Error) => expect(error.message).to.include('slug is required'),
    );
  });
});

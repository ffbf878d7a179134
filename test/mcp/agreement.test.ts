/** MCP and REST answer the same question with the same data, refusals included. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { expect } from 'chai';
import { tools } from '../../src/mcp/tools.ts';
import type { TestAnswer } from '../support/api.ts';
import { data, type McpApi, refusal, SEEDING_TIMEOUT_MS, startMcp } from './mcp-fixture.ts';

interface Question {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly path: string;
}

const ROWS: Readonly<Record<string, 'agents' | 'bundles' | 'agencies'>> = {
  search_agents: 'agents',
  search_bundles: 'bundles',
  search_agencies: 'agencies',
};

const directory: readonly Question[] = [
  { tool: 'search_agents', args: {}, path: '/v1/agents' },
  { tool: 'search_agents', args: { q: 'match', limit: 3 }, path: '/v1/agents?q=match&limit=3' },
  {
    tool: 'search_agents',
    args: { minTrustScore: 40, tier: 'verified', sort: 'name' },
    path: '/v1/agents?minTrustScore=40&tier=verified&sort=name',
  },
  { tool: 'get_agent_evidence', args: { slug: 'SLUG' }, path: '/v1/agents/SLUG/verification' },
  { tool: 'compare_agents', args: { slugs: ['SLUG', 'OTHER'] }, path: '/v1/agents/compare?slugs=SLUG,OTHER' },
  { tool: 'search_bundles', args: { limit: 4 }, path: '/v1/bundles?limit=4' },
  { tool: 'get_bundle_manifest', args: { slug: 'BUNDLE' }, path: '/v1/bundles/BUNDLE' },
  { tool: 'search_agencies', args: { country: 'DE' }, path: '/v1/agencies?country=DE' },
];

const refused: readonly Question[] = [
  { tool: 'search_agents', args: { sort: 'relevance' }, path: '/v1/agents?sort=relevance' },
  { tool: 'search_agents', args: { cursor: 'forged' }, path: '/v1/agents?cursor=forged' },
  { tool: 'get_agent_evidence', args: { slug: 'nobody' }, path: '/v1/agents/nobody/verification' },
  {
    tool: 'compare_agents',
    args: { slugs: ['SLUG', 'nobody'] },
    path: '/v1/agents/compare?slugs=SLUG,nobody',
  },
  { tool: 'get_bundle_manifest', args: { slug: 'none' }, path: '/v1/bundles/none' },
];

/** Each request has an id of its own; all else that a refusal says is the same. */
function expectSame(error: { readonly requestId?: string }, { body, headers }: TestAnswer): void {
  expect(body.error.requestId).to.equal(headers.get('X-Request-Id'));
  expect({ ...error, requestId: body.error.requestId }).to.deep.equal(body.error);
}

describe('MCP and REST agree', () => {
  let api: McpApi;
  let client: Client;
  let key: string;
  let fill: (question: Question) => Question;
  before(async function () {
    this.timeout(SEEDING_TIMEOUT_MS);
    api = await startMcp();
    ({ key } = await api.newKey());
    client = await api.connect(key);
    const { agents } = await data(client, 'search_agents', { limit: 2, tier: 'verified' });
    const { bundles } = await data(client, 'search_bundles', { limit: 1 });
    const names: [string, string][] = [
      ['SLUG', agents[0]!.slug],
      ['OTHER', agents[1]!.slug],
      ['BUNDLE', bundles[0]!.slug],
    ];
    fill = (question) =>
      JSON.parse(
        names.reduce((text, [name, value]) => text.replaceAll(name, value), JSON.stringify(question)),
      );
  });
  after(() => api.close());

  for (const question of directory) {
    it(`about ${question.path}`, async () => {
      const { tool, args, path } = fill(question);
      const structured = await data(client, tool, args);
      const { data: rows, meta } = (await api.get(path)).body;
      // Lists stand under a name of their own, beside what REST says of them in `meta`.
      const row = ROWS[tool];
      expect(structured).to.deep.equal(row === undefined ? rows : { [row]: rows, ...meta });
      const { operation } = tools.find(({ name }) => name === tool)!;
      // The strict schema of REST, of which the tool's is the open form.
      operation.output.parse(row === undefined ? structured : structured[row]);
    });
  }

  for (const question of refused) {
    it(`in refusing ${question.path}`, async () => {
      const { tool, args, path } = fill(question);
      const { told: _told, ...error } = await refusal(client, tool, args);
      expectSame(error, await api.get(path));
    });
  }

  it('about a trial: made over one, seen and made again over the other', async () => {
    const { agents } = await data(client, 'search_agents', { limit: 1 });
    const wanted = { agent: agents[0]!.slug, brief: 'Once, whoever asks.', metadata: { a: '1' } };
    const made = await data(client, 'create_trial_run', { ...wanted, idempotencyKey: 'shared' });
    expect((await api.get(`/v1/jobs/${made.id}`, { key })).body.data).to.deep.include(made);
    const again = await api.post('/v1/trials', wanted, { key, headers: { 'Idempotency-Key': 'shared' } });
    expect(again.headers.get('Idempotent-Replayed')).to.equal('true');
    expect(again.body.data).to.deep.equal(made);

    const first = await api.post('/v1/trials', wanted, { key, headers: { 'Idempotency-Key': 'rest' } });
    const replay = await client.callTool({
      name: 'create_trial_run',
      arguments: { ...wanted, idempotencyKey: 'rest' },
    });
    expect(replay.structuredContent).to.deep.equal(first.body.data);
    expect(replay._meta).to.deep.equal({ 'bourse/replayed': true });
    // A strict host sends objects as text, and something for every argument.
    const filled = { ...wanted, inputs: '', metadata: '{"a":"1"}', notifyUrl: '', idempotencyKey: 'rest' };
    expect(await data(client, 'create_trial_run', filled)).to.deep.equal(first.body.data);
    const other = { ...wanted, brief: 'Something else.' };
    expect(await refusal(client, 'create_trial_run', { ...other, idempotencyKey: 'rest' })).to.include({
      code: 'idempotency_mismatch',
    });
  });

  it('about what a mandate denies, and about somebody else’s job', async () => {
    const poor = await api.newKey({ terms: { maxMonthlyCents: 1 } });
    const buyer = await api.connect(poor.key);
    const { agents } = await data(buyer, 'search_agents', { limit: 1, sort: 'name' });
    const wanted = { agent: agents[0]!.slug, brief: 'Too much.' };
    const { told: _told, ...denied } = await refusal(buyer, 'create_trial_run', {
      ...wanted,
      idempotencyKey: 'denied',
    });
    expectSame(denied, await api.post('/v1/trials', wanted, { key: poor.key }));

    const job = await data(client, 'create_trial_run', { ...wanted, idempotencyKey: 'mine' });
    const { told: _other, ...hidden } = await refusal(buyer, 'get_job_status', { jobId: job.id });
    expectSame(hidden, await api.get(`/v1/jobs/${job.id}`, { key: poor.key }));
  });
});

describe('MCP counts against the same limits as REST', () => {
  it('and says to a model when to come back', async function () {
    this.timeout(SEEDING_TIMEOUT_MS);
    // To say hello and to list the tools takes three messages.
    const api = await startMcp({ publicRateLimit: 6 });
    const client = await api.connect();
    await data(client, 'search_agents', {});
    expect((await api.get('/v1/agents')).status).to.equal(200);
    await client.readResource({ uri: 'bourse://methodology' });
    const limited = await refusal(client, 'search_agents', {});
    expect(limited.code).to.equal('rate_limited');
    expect(limited.told).to.match(/Try again after \d+ s/);
    expect((await api.get('/v1/agents')).status).to.equal(429);
    const refused = await client.listTools().catch(String);
    expect(refused).to.include('At most 6 public reads');
    await api.close();
  });
});

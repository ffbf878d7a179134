/** All of buying, by clients of both generations: asks, buys, waits, reads what was delivered, gives up; as REST says it. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { type JobCommand, jobDecider } from '../../commands/job/job.ts';
import type { Scope } from '../../src/operations/operation.ts';
import { call } from '../support/run-commands.ts';
import { until } from '../support/until.ts';
import { type McpApi, SEEDING_TIMEOUT_MS, startMcp, type Structured } from './mcp-fixture.ts';

const BUYING: readonly Scope[] = ['trials:create', 'jobs:read', 'jobs:cancel', 'mandate:read'];

interface Buyer {
  /** The structured content of a call that must succeed; the text says the same. */
  readonly data: (tool: string, args?: Record<string, unknown>) => Promise<Structured>;
  /** The first text of a call that must be refused. */
  readonly told: (tool: string, args: Record<string, unknown>) => Promise<string>;
  readonly close: () => Promise<void>;
}

for (const version of ['2025-11-25', '2026-07-28']) {
  describe(`Buying over MCP ${version}`, () => {
    let api: McpApi;
    let key: string;
    let buyer: Buyer;
    let agent: string;
    before(async function () {
      this.timeout(SEEDING_TIMEOUT_MS);
      api = await startMcp();
      ({ key } = await api.newKey({
        scopes: BUYING,
        terms: { maxPerTransactionCents: 100_000, maxMonthlyCents: 100_000 },
      }));
      buyer = await connect(api, key, version);
      const { agents } = await buyer.data('search_agents', { limit: 1, tier: 'verified' });
      agent = agents[0]?.slug ?? '';
    });
    after(async () => {
      await buyer.close();
      await api.close();
    });

    const rest = async (path: string) => (await api.get(path, { key })).body.data;
    const buy = (idempotencyKey: string) =>
      buyer.data('create_trial_run', { agent, brief: 'Do it.', idempotencyKey });
    const change = (jobId: string, command: JobCommand) =>
      api.services.commands.run(jobDecider, jobId, command, call({ at: new Date().toISOString() }));

    it('asks the mandate before and after', async () => {
      const { allowed, violations } = await buyer.data('check_spend', { agent });
      expect([allowed, violations]).to.deep.equal([true, []]);
      const before = await buyer.data('get_mandate');
      expect(before).to.deep.equal(await rest('/v1/mandate'));
      await buy('asked');
      const { remainingThisPeriodCents } = await buyer.data('get_mandate', {});
      expect(remainingThisPeriodCents).to.be.below(before.remainingThisPeriodCents);
      const checked = await api.post('/v1/mandate/check', { agent }, { key });
      expect(await buyer.data('check_spend', { agent })).to.deep.equal(checked.body.data);
    });

    it('finds its jobs again, by pages and by state', async () => {
      const made = [await buy('listed-1'), await buy('listed-2')].map(({ id }) => id);
      const first = await buyer.data('list_jobs', { limit: 1, status: 'draft' });
      expect(first.jobs.map(({ id }) => id)).to.deep.equal([made[1]]);
      expect(first.jobs).to.deep.equal(await rest('/v1/jobs?limit=1&status=draft'));
      const second = await buyer.data('list_jobs', { limit: 1, status: 'draft', cursor: first.nextCursor });
      expect(second.jobs.map(({ id }) => id)).to.deep.equal([made[0]]);
      expect((await buyer.data('list_jobs', { status: 'completed' })).jobs).to.deep.equal([]);
    });

    it('gives up a draft: the spend comes back, and asking again changes nothing', async () => {
      const { remainingThisPeriodCents } = await buyer.data('get_mandate');
      const { id } = await buy('cancelled');
      const cancelled = await buyer.data('cancel_job', { jobId: id, idempotencyKey: 'cancel' });
      expect(cancelled.status).to.equal('cancelled');
      expect(await rest(`/v1/jobs/${id}`)).to.deep.include(cancelled);
      expect(await buyer.data('cancel_job', { jobId: id, idempotencyKey: 'cancel' })).to.deep.equal(
        cancelled,
      );
      expect(await buyer.data('get_mandate')).to.include({ remainingThisPeriodCents });
      expect(await buyer.data('cancel_job', { jobId: id })).to.deep.equal(cancelled);
      expect(await buyer.data('get_mandate')).to.include({ remainingThisPeriodCents });
      const other = await buy('cancelled-without-a-key');
      expect((await buyer.data('cancel_job', { jobId: other.id })).status).to.equal('cancelled');
    });

    it('waits until the job has gone on, and reads what was delivered', async () => {
      const job = await buy('waited');
      const waiting = buyer.data('get_job_status', { jobId: job.id, wait: 60 });
      await until('it waits', () => api.services.jobWatch.waiting() === 1);
      await change(job.id, {
        type: 'FundJob',
        payment: { provider: 'test', reference: 'pay', amountCents: 1 },
      });
      expect((await waiting).status).to.equal('funded');
      await change(job.id, { type: 'StartJob' });
      const agency = (await buyer.data('fetch', { id: `agents/${agent}` })).text;
      expect(agency).to.include('Trust score');
      const { agency: owner } = JSON.parse((await api.get(`/v1/agents/${agent}`)).text).data;
      const provider = await api.newKey({ scopes: ['provider:fulfil'], agency: owner.slug });
      const put = await api.send('PUT', `/v1/provider/jobs/${job.id}/artifacts/matches.csv`, {
        key: provider.key,
        rawBody: 'a,b\n',
      });
      expect(put.status, put.text).to.equal(200);
      const { artifacts } = await buyer.data('get_artifacts', { jobId: job.id });
      expect(artifacts.map(({ name }) => name)).to.deep.equal(['matches.csv']);
      const path = artifacts[0]?.url.slice('http://market.test'.length);
      expect(await (await fetch(`${api.url}${path}`)).text()).to.equal('a,b\n');
    });

    it('searches and fetches documents in the form that hosts of connectors ask for', async () => {
      const { results } = await buyer.data('search', { query: 'who can match our invoices, please?' });
      expect(results).to.have.length.within(1, 20);
      for (const result of results) {
        expect(result).to.have.all.keys('id', 'title', 'url', 'text');
        const document = await buyer.data('fetch', { id: result.id });
        expect(document).to.have.all.keys('id', 'title', 'text', 'url', 'metadata');
        expect(document).to.include({ id: result.id, title: result.title, url: result.url });
        const page = await fetch(api.url + result.url.slice('http://market.test'.length));
        expect(page.status, result.url).to.equal(200);
      }
      expect(await buyer.told('fetch', { id: 'agents/nobody' })).to.match(/^not_found: /);
      expect(await buyer.told('fetch', { id: '../secrets' })).to.include('agents/invoice-matcher');
      expect((await buyer.data('search', { query: '!?' })).results).to.deep.equal([]);
    });

    it('is told which scope is missing, and shown nobody else’s jobs', async () => {
      const { id } = await buy('mine');
      const stranger = await connect(api, (await api.newKey({ scopes: BUYING })).key, version);
      for (const tool of ['get_job_status', 'cancel_job', 'get_artifacts'])
        expect(await stranger.told(tool, { jobId: id }), tool).to.match(/^not_found: /);
      expect((await stranger.data('list_jobs')).jobs).to.deep.equal([]);
      expect(await rest(`/v1/jobs/${id}`)).to.include({ status: 'draft' });
      const narrow = await connect(api, (await api.newKey({ scopes: ['data:read'] })).key, version);
      for (const [tool, args] of [
        ['get_job_status', { jobId: id }],
        ['cancel_job', { jobId: id }],
        ['get_artifacts', { jobId: id }],
        ['list_jobs', {}],
        ['get_mandate', {}],
        ['check_spend', { agent }],
      ] as const)
        expect(await narrow.told(tool, args), tool).to.match(/^scope_missing: /);
      await Promise.all([stranger.close(), narrow.close()]);
    });
  });
}

async function connect(api: McpApi, key: string, version: string): Promise<Buyer> {
  const mode = version === '2026-07-28' ? { pin: version } : 'legacy';
  const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode } });
  const headers = { Authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(api.mcpUrl), { requestInit: { headers } }));
  expect(client.getNegotiatedProtocolVersion()).to.equal(version);
  // It then holds structured content to the schemas.
  await client.listTools();
  const ask = async (name: string, args: Record<string, unknown>) => {
    const called = await client.callTool({ name, arguments: args });
    const [block] = called.content;
    return { called, text: block?.type === 'text' ? block.text : '' };
  };
  return {
    async data(tool, args = {}) {
      const { called, text } = await ask(tool, args);
      expect(called.isError, text).to.not.equal(true);
      expect(JSON.parse(text)).to.deep.equal(called.structuredContent);
      return called.structuredContent as unknown as Structured;
    },
    async told(tool, args) {
      const { called, text } = await ask(tool, args);
      expect(called.isError, text).to.equal(true);
      return text;
    },
    close: () => client.close(),
  };
}

/** What MCP over HTTP lets through: arguments within bounds, and keys that may do what is asked. */
import { expect } from 'chai';
import { freezeKey } from '../../src/operations/keys/freeze-key.ts';
import { MAX_BATCH } from '../../src/mcp/streamable-http.ts';
import { type McpApi, SEEDING_TIMEOUT_MS, startMcp, type WireAnswer } from './mcp-fixture.ts';
import { CALL, LIST } from './messages.ts';

describe('MCP over HTTP', () => {
  let api: McpApi;
  before(async function () {
    this.timeout(SEEDING_TIMEOUT_MS);
    api = await startMcp();
  });
  after(() => api.close());

  describe('bounds arguments', () => {
    const long = 'x'.repeat(10_000);
    const cases: readonly [string, Record<string, unknown>][] = [
      ['search_agents', { q: long }],
      ['search_agents', { cursor: long }],
      ['search_agents', { limit: 1_000_000 }],
      ['get_agent_evidence', { slug: long }],
      ['compare_agents', { slugs: Array.from({ length: 500 }, (_, at) => `agent-${at}`) }],
      ['get_bundle_manifest', { slug: 'a', version: long }],
      ['search_agencies', { country: long }],
    ];
    for (const [name, args] of cases) {
      it(`${name} ${Object.keys(args).join()}: invalid_request, and none of it given back`, async () => {
        const { body, text } = await api.rpc({ ...CALL, params: { name, arguments: args } });
        expect(body.result).to.include({ isError: true });
        expect(text).to.include('invalid_request');
        expect(text.length).to.be.below(3_000);
      });
    }
    it('bodies, of which who has no key may send little, though a batch of a hundred calls', async () => {
      const { key } = await api.newKey({ scopes: ['jobs:read'] });
      const of = (bytes: number) => ({
        ...CALL,
        params: { name: 'search_agents', arguments: { q: 'x'.repeat(bytes) } },
      });
      const withKey = { Authorization: `Bearer ${key}` };
      for (const [bytes, headers, status] of [
        [31 * 1_024, {}, 200],
        [33 * 1_024, {}, 413],
        [33 * 1_024, { Authorization: 'Basic YTpi' }, 401],
        [250 * 1_024, withKey, 200],
        [257 * 1_024, withKey, 413],
      ] as const)
        expect((await api.rpc(of(bytes), headers)).status, `${bytes}`).to.equal(status);
      const calls = Array.from({ length: MAX_BATCH }, (_, id) => ({
        ...CALL,
        id,
        params: { name: 'search_agents', arguments: { q: 'invoices', limit: 1, cursor: null } },
      }));
      expect((await api.rpc(calls)).status).to.equal(200);
    });
    it('members of one object', async () => {
      const args = Object.fromEntries(Array.from({ length: 19_000 }, (_, i) => [`k${i}`, 0]));
      const { key } = await api.newKey({ scopes: ['jobs:read'] });
      const body = { ...CALL, params: { name: 'search_agents', arguments: args } };
      const answer = await api.rpc(body, { Authorization: `Bearer ${key}` });
      expect([answer.status, answer.text.includes('more than 5000 members')]).to.deep.equal([400, true]);
    });
    it('names of methods, tools and prompts too', async () => {
      for (const body of [
        { ...LIST, method: long },
        { ...CALL, params: { name: long } },
        { ...LIST, method: 'prompts/get', params: { name: long } },
        { ...LIST, method: 'resources/read', params: { uri: `bourse://agents/${long}` } },
      ]) {
        expect((await api.rpc(body)).text.length).to.be.below(600);
      }
    });
  });

  describe('asks for keys', () => {
    const job = { ...CALL, params: { name: 'get_job_status', arguments: {} } };
    const challenge = ({ headers }: WireAnswer): string => headers.get('WWW-Authenticate') ?? '';
    const told = ({ body }: WireAnswer): string => JSON.stringify(body.result);

    it('in a result where there is none: a client that ends at a 401 goes on with what needs no key', async () => {
      const answer = await api.rpc(job);
      expect([answer.status, answer.body.id]).to.deep.equal([200, 'call']);
      expect(answer.body.result).to.include({ isError: true });
      expect(told(answer)).to.include('api_key_missing').and.include('BOURSE_API_KEY');
      expect(challenge(answer)).to.equal('Bearer scope="jobs:read"');
      const batch = await api.rpc([job, CALL]);
      expect(batch.status).to.equal(200);
      expect(batch.body).to.be.an('array').with.lengthOf(2);
    });
    it('401 for one that is not valid', async () => {
      for (const Authorization of ['Bearer brs_ak_nonsense', 'Basic YTpi']) {
        const answer = await api.rpc(job, { Authorization });
        expect(answer.status).to.equal(401);
        expect(challenge(answer)).to.equal('Bearer error="invalid_token"');
        expect(answer.body.error).to.include({ code: -32_000 });
      }
    });
    it('in a result where one lacks the scope', async () => {
      const { key } = await api.newKey({ scopes: ['trials:create'] });
      const answer = await api.rpc(job, { Authorization: `Bearer ${key}` });
      expect(answer.status).to.equal(200);
      expect(challenge(answer)).to.equal('Bearer error="insufficient_scope", scope="jobs:read"');
      expect(told(answer)).to.include('scope_missing').and.include('jobs:read');
    });
    it('and leads nobody to an authorization server, for there is none', async () => {
      for (const name of ['oauth-protected-resource', 'oauth-authorization-server', 'openid-configuration']) {
        for (const path of [`/.well-known/${name}`, `/.well-known/${name}/mcp`, `/mcp/.well-known/${name}`]) {
          const answer = await fetch(api.url + path, { headers: { Accept: 'text/html, */*' } });
          expect([answer.status, answer.headers.get('Content-Type')], path).to.deep.equal([
            404,
            'application/json; charset=utf-8',
          ]);
          expect(await answer.json()).to.have.nested.property('error.code', 'not_found');
        }
      }
    });
    it('needs none where none is needed, but refuses one that is not good, from the start', async () => {
      expect((await api.rpc(LIST)).status).to.equal(200);
      const start = { ...LIST, method: 'initialize', params: { protocolVersion: '2025-06-18' } };
      const { id: _, ...notification } = { ...LIST, method: 'notifications/initialized' };
      for (const message of [start, LIST, CALL, notification, [LIST, LIST]]) {
        const answer = await api.rpc(message, { Authorization: 'Bearer nonsense' });
        expect(answer.status).to.equal(401);
        expect(challenge(answer)).to.match(/^Bearer error="invalid_token"/);
        expect(answer.body.error?.data).to.include({ code: 'api_key_invalid' });
      }
    });
    it('tells the holder of a frozen key that it is frozen, whatever is asked for', async () => {
      const { key, keyId } = await api.newKey();
      const call = { at: new Date().toISOString(), actor: 'cli', requestId: 'test', commandId: 'freeze' };
      await freezeKey(
        api.services,
        keyId,
        { type: 'FreezeApiKey', by: 'owner', reason: 'found in a log' },
        call,
      );
      await api.services.projector.caughtUp();
      for (const message of [LIST, job]) {
        const answer = await api.rpc(message, { Authorization: `Bearer ${key}` });
        expect([answer.status, answer.body.error?.message]).to.deep.equal([
          403,
          'The API key is frozen: nothing can be done with it until it is unfrozen.',
        ]);
      }
    });
    it('counts messages with a good key against its account', async () => {
      const { key } = await api.newKey();
      const answer = await api.rpc(LIST, { Authorization: `Bearer ${key}` });
      expect(answer.headers.get('RateLimit-Policy')).to.match(/^"account";q=/);
    });
  });
});

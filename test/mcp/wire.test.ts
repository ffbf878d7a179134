/** The protocol as it stands on the wire: for each revision the status and code that it prescribes, always JSON-RPC. */
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import { type McpApi, rpc, SEEDING_TIMEOUT_MS, startMcp } from './mcp-fixture.ts';
import { CALL, HELLO, LIST } from './messages.ts';
import { checksOf } from './wire-case.ts';

const REFUSED = -32_000;

describe('MCP on the wire', () => {
  let api: McpApi;
  before(async function () {
    this.timeout(SEEDING_TIMEOUT_MS);
    api = await startMcp();
  });
  after(() => api.close());

  const check = checksOf(() => api);

  describe('reads Accept leniently', () => {
    for (const accept of [
      '*/*',
      'application/json',
      'application/*;q=0.5',
      'text/html',
      'text/event-stream, application/json',
    ]) {
      check({ what: accept, body: CALL, headers: { Accept: accept }, status: 200, id: 'call' });
    }
    it('text/event-stream alone: one event with the same message', async () => {
      const answer = await api.rpc(CALL, { Accept: 'text/event-stream' });
      expect(answer.headers.get('Content-Type')).to.equal('text/event-stream');
      const [, data = ''] = /^event: message\ndata: (.+)\n\n$/.exec(answer.text) ?? [];
      expect(JSON.parse(data)).to.deep.equal((await api.rpc(CALL)).body);
    });
    it('text/event-stream alone and a refusal by HTTP: JSON all the same', async () => {
      const answer = await api.rpc('{', { Accept: 'text/event-stream' });
      expect(answer.body.error).to.include({ code: ErrorCode.ParseError });
    });
  });

  describe('looks at the Origin', () => {
    check({ what: 'its own', body: LIST, headers: { Origin: 'http://market.test' }, status: 200 });
    for (const origin of [
      'http://evil.example',
      'null',
      'http://market.test.evil.example',
      'https://market.test',
      'http://market.test:81',
      'http://localhost:6274',
    ]) {
      check({ what: origin, body: LIST, headers: { Origin: origin }, status: 403, code: REFUSED, id: null });
    }
    it('refuses foreign pages whatever they ask for', async () => {
      for (const method of ['GET', 'OPTIONS', 'DELETE']) {
        const answer = await fetch(api.mcpUrl, { method, headers: { Origin: 'http://evil.example' } });
        expect(answer.status, method).to.equal(403);
        expect(answer.headers.get('Access-Control-Allow-Origin')).to.equal(null);
      }
    });
    it('lets its own pages ask and read', async () => {
      const answer = await fetch(api.mcpUrl, {
        method: 'OPTIONS',
        headers: { Origin: 'http://market.test' },
      });
      expect(answer.status).to.equal(204);
      expect(answer.headers.get('Access-Control-Allow-Origin')).to.equal('http://market.test');
      expect(answer.headers.get('Access-Control-Allow-Headers')).to.include('MCP-Protocol-Version');
    });
  });

  describe('takes JSON only', () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'application/json; charset=latin1',
    ]) {
      check({
        what: type,
        body: LIST,
        headers: { 'Content-Type': type },
        status: 415,
        code: REFUSED,
        id: null,
      });
    }
    check({
      what: 'with a charset',
      body: LIST,
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
      status: 200,
    });
  });

  describe('knows malformed messages', () => {
    const parse = ErrorCode.ParseError;
    const invalid = ErrorCode.InvalidRequest;
    check({ what: 'no JSON', body: '{"jsonrpc"', status: 400, code: parse, id: null });
    check({ what: 'a member twice', body: '{"id":1,"id":2}', status: 400, code: parse, id: null });
    const long = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":9007199254740993}}';
    check({ what: 'an integer that a double cannot hold', body: long, status: 400, code: -32_000, id: 1 });
    const longId = '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}';
    check({ what: 'such an integer as id', body: longId, status: 400, code: -32_000, id: null });
    check({ what: 'nothing', body: '', status: 400, code: invalid, id: null });
    check({ what: 'null', body: 'null', status: 400, code: invalid, id: null });
    check({ what: 'a number', body: '7', status: 400, code: invalid, id: null });
    check({ what: 'no version', body: { id: 1, method: 'ping' }, status: 400, code: invalid, id: 1 });
    check({ what: 'version 1.0', body: { ...LIST, jsonrpc: '1.0' }, status: 400, code: invalid, id: 1 });
    check({ what: 'id null', body: { ...LIST, id: null }, status: 400, code: invalid, id: null });
    check({ what: 'a fraction as id', body: { ...LIST, id: 1.5 }, status: 400, code: invalid, id: null });
    check({ what: 'method no string', body: { ...LIST, method: 7 }, status: 400, code: invalid, id: 1 });
    check({ what: 'params a list', body: { ...LIST, params: [] }, status: 400, code: invalid, id: 1 });
    check({
      what: 'deeply nested',
      body: `${'['.repeat(99)}${']'.repeat(99)}`,
      status: 400,
      code: parse,
      id: null,
    });
    check({
      what: 'huge',
      body: { ...CALL, params: { name: 'search_agents', arguments: { q: 'x'.repeat(300_000) } } },
      status: 413,
      code: REFUSED,
      id: null,
    });
  });

  describe('knows what it can do', () => {
    const params = ErrorCode.InvalidParams;
    const call = (value: unknown) => ({ ...CALL, params: value });
    check({ what: 'ping', body: { ...LIST, method: 'ping' }, status: 200 });
    check({
      what: 'an unknown method',
      body: { ...LIST, method: 'tools/lost' },
      status: 200,
      code: -32_601,
      id: 1,
    });
    check({
      what: 'a prototype’s name',
      body: { ...LIST, method: 'constructor' },
      status: 200,
      code: -32_601,
    });
    check({ what: 'logging', body: { ...LIST, method: 'logging/setLevel' }, status: 200, code: -32_601 });
    check({
      what: 'an unknown tool',
      body: call({ name: 'drop_tables' }),
      status: 200,
      code: params,
      id: 'call',
    });
    check({ what: 'no tool', body: call({}), status: 200, code: params });
    check({
      what: 'arguments no object',
      body: call({ name: 'search_agents', arguments: [1] }),
      status: 200,
      code: params,
    });
    check({
      what: 'a page that is not there',
      body: { ...LIST, params: { cursor: 'x' } },
      status: 200,
      code: params,
    });
    check({
      what: 'an unknown resource',
      body: { ...LIST, method: 'resources/read', params: { uri: 'bourse://agents/nobody' } },
      status: 200,
      code: -32_002,
    });
    check({
      what: 'a resource of another kind',
      body: { ...LIST, method: 'resources/read', params: { uri: 'file:///etc/passwd' } },
      status: 200,
      code: -32_002,
    });
    check({
      what: 'an unknown prompt',
      body: { ...LIST, method: 'prompts/get', params: { name: 'x' } },
      status: 200,
      code: params,
    });
    check({
      what: 'no arguments, as null',
      body: call({ name: 'search_agents', arguments: null }),
      status: 200,
    });
    check({ what: 'no params, as null', body: { ...LIST, params: null }, status: 200 });
    check({ what: 'no cursor, as null', body: { ...LIST, params: { cursor: null } }, status: 200 });
    check({
      what: 'no budget of a prompt, as null',
      body: {
        ...LIST,
        method: 'prompts/get',
        params: { name: 'choose_agent', arguments: { task: 'Match.', budget: null } },
      },
      status: 200,
    });
    check({ what: 'hello without a version', body: { ...HELLO, params: {} }, status: 200, code: params });
  });

  it('answers the same at /mcp/', async () => {
    const [plain, slashed] = await Promise.all([api.rpc(CALL), rpc(`${api.mcpUrl}/`, CALL)]);
    expect([slashed.status, slashed.body]).to.deep.equal([200, plain.body]);
    expect((await fetch(`${api.mcpUrl}/`)).status).to.equal(405);
  });

  describe('has no session', () => {
    check({ what: 'an unknown one', body: CALL, headers: { 'Mcp-Session-Id': 'stolen' }, status: 200 });
    it('and gives none out', async () => {
      expect((await api.rpc(HELLO)).headers.get('Mcp-Session-Id')).to.equal(null);
    });
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
      it(`nothing to ${method}: 405`, async () => {
        const answer = await fetch(api.mcpUrl, { method, headers: { Accept: 'text/event-stream' } });
        expect(answer.status).to.equal(405);
        expect(answer.headers.get('Allow')).to.equal('POST, OPTIONS');
        expect(await answer.json()).to.deep.include({ jsonrpc: '2.0', id: null });
      });
    }
    it('takes notifications and answers to nothing: 202 without a body', async () => {
      for (const body of [
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
        { jsonrpc: '2.0', id: 1, result: {} },
      ]) {
        const { status, text } = await api.rpc(body);
        expect([status, text]).to.deep.equal([202, '']);
      }
    });
  });
});

/** The revisions of the protocol on the wire: their handshake, and the batches of those that had them. */
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import { type McpApi, SEEDING_TIMEOUT_MS, startMcp, type Wire } from './mcp-fixture.ts';
import { CALL, HELLO, LIST } from './messages.ts';
import { checksOf } from './wire-case.ts';

const REFUSED = -32_000;

describe('The revisions of MCP on the wire', () => {
  let api: McpApi;
  before(async function () {
    this.timeout(SEEDING_TIMEOUT_MS);
    api = await startMcp();
  });
  after(() => api.close());

  const check = checksOf(() => api);

  describe('speaks the revisions with a handshake', () => {
    for (const version of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']) {
      it(`${version}: agreed on as asked`, async () => {
        const { body } = await api.rpc({ ...HELLO, params: { ...HELLO.params, protocolVersion: version } });
        expect(body.result).to.include({ protocolVersion: version });
      });
      check({
        what: `${version} in the header`,
        body: CALL,
        headers: { 'MCP-Protocol-Version': version },
        status: 200,
      });
    }
    for (const version of ['2026-07-28', '1999-01-01', 'next']) {
      it(`${version}: answered with the newest that has a handshake`, async () => {
        const { body } = await api.rpc({ ...HELLO, params: { ...HELLO.params, protocolVersion: version } });
        expect(body.result).to.include({ protocolVersion: '2025-11-25' });
      });
    }
    for (const version of ['1999-01-01', 'not-a-version', '']) {
      check({
        what: `${JSON.stringify(version)} in the header`,
        body: CALL,
        headers: { 'MCP-Protocol-Version': version },
        status: 400,
        code: REFUSED,
        id: 'call',
      });
    }
  });

  describe('takes batches of the revisions that had them', () => {
    const batch = [CALL, { jsonrpc: '2.0', method: 'notifications/progress' }, { ...LIST, id: 2 }];
    for (const headers of [{}, { 'MCP-Protocol-Version': '2025-03-26' }]) {
      it(`${JSON.stringify(headers)}: an answer for each request`, async () => {
        const { status, body } = await api.rpc(batch, headers);
        expect(status).to.equal(200);
        expect(ids(body)).to.deep.equal(['call', 2]);
      });
    }
    it('whose answer is full: tells what did not fit to come by itself', async () => {
      const large = { name: 'search_agents', arguments: { limit: 100 } };
      const calls = Array.from({ length: 40 }, (_, id) => ({ ...CALL, id, params: large }));
      const { status, text, body } = await api.rpc([...calls, { ...LIST, id: 40 }]);
      expect(status).to.equal(200);
      expect(ids(body)).to.have.length(41);
      const answers: Wire[] = Array.from(Object(body));
      expect(answers[0]?.result).to.not.have.property('isError');
      expect(JSON.stringify(answers[39]?.result)).to.include('send this request by itself');
      expect(answers[40]?.error).to.include({ code: REFUSED });
      expect(text.length).to.be.below(512 * 1_024);
    });
    it('of notifications alone: 202', async () => {
      expect((await api.rpc([{ jsonrpc: '2.0', method: 'notifications/initialized' }])).status).to.equal(202);
    });
    const invalid = { status: 400, code: ErrorCode.InvalidRequest, id: null } as const;
    for (const version of ['2025-06-18', '2025-11-25', '2026-07-28']) {
      check({ what: version, body: batch, headers: { 'MCP-Protocol-Version': version }, ...invalid });
    }
    check({ what: 'empty', body: [], ...invalid });
    check({ what: 'of 101', body: Array.from({ length: 101 }, (_, id) => ({ ...LIST, id })), ...invalid });
    check({ what: 'with something else in it', body: [CALL, 7], ...invalid });
    check({ what: 'with a hello', body: [HELLO, CALL], ...invalid });
  });
});

function ids(body: unknown): unknown[] {
  return Array.isArray(body) ? body.map((answer: { id: unknown }) => answer.id) : [];
}

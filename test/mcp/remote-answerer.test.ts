import { createServer, type Server, type ServerResponse } from 'node:http';
import { expect } from 'chai';
import { isObject } from '../../src/calling/strict-json.ts';
import { remoteAnswerer } from '../../src/mcp/remote-answerer.ts';
import { META } from '../../src/mcp/revisions.ts';
import { listenAnywhere } from '../support/ports.ts';

describe('A bourse mcp that fronts a remote instance', () => {
  let server: Server;
  let baseUrl: string;
  let answer: (res: ServerResponse) => void;
  before(async () => {
    server = createServer((_req, res) => answer(res));
    baseUrl = `http://127.0.0.1:${await listenAnywhere(server)}`;
  });
  after(() => void server.close());

  const params = { name: 'create_trial_run', arguments: {} };
  const ask = async (message: object): Promise<Readonly<Record<string, unknown>>> => {
    const remote = remoteAnswerer({ baseUrl, apiKey: undefined });
    const text = await remote({ jsonrpc: '2.0', id: 7, ...message }, new AbortController().signal);
    const said: unknown = JSON.parse(text ?? 'null');
    if (!isObject(said)) throw new Error('it said nothing');
    return said;
  };
  const refusing =
    (status: number, code: string) =>
    (res: ServerResponse): void => {
      const error = { code: -32_000, message: `It is ${code}.`, data: { code, requestId: 'req_1' } };
      res.writeHead(status, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    };
  const textOf = ({ result }: Readonly<Record<string, unknown>>): string =>
    JSON.stringify(isObject(result) ? result['content'] : result);

  for (const [status, code] of [
    [401, 'api_key_invalid'],
    [403, 'forbidden'],
    [413, 'body_too_large'],
    [429, 'rate_limited'],
    [500, 'internal'],
    [503, 'unavailable'],
  ] as const)
    it(`tells a model what ${status} ${code} means for its call`, async () => {
      answer = refusing(status, code);
      const said = await ask({ method: 'tools/call', params });
      expect(said).to.include({ id: 7 }).and.not.have.property('error');
      expect(said['result']).to.include({ isError: true });
      expect(textOf(said)).to.include(`${code}: It is ${code}.`).and.include('What to do');
    });

  it('tells whatever reads errors the error, under the id of its request', async () => {
    answer = refusing(503, 'unavailable');
    const said = await ask({ method: 'tools/list' });
    expect(said).to.include({ id: 7 }).and.not.have.property('result');
  });

  it('tells a model that a call whose answer never came may be sent again, in the words of its revision', async () => {
    answer = (res) => res.destroy();
    const said = await ask({ method: 'tools/call', params });
    expect(textOf(said)).to.include('unavailable: ').and.include('the same idempotencyKey');
    const _meta = { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: {} };
    const stateless = await ask({ method: 'tools/call', params: { ...params, _meta } });
    expect(stateless['result']).to.include({ isError: true, resultType: 'complete' });
  });

  it('keeps no more of an answer than any answer has', async () => {
    let hasClosed = false;
    answer = (res) => {
      res.on('close', () => (hasClosed = true));
      const chunk = Buffer.alloc(1_024 * 1_024, 0x20);
      const write = (): void => {
        if (!hasClosed) res.write(chunk, () => setImmediate(write));
      };
      write();
    };
    const said = await ask({ method: 'tools/list' });
    expect(JSON.stringify(said['error'])).to.include('not as MCP');
    expect(said).to.include({ id: 7 });
  });
});

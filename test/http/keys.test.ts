import { expect } from 'chai';
import { startApi, type TestApi } from '../support/api.ts';
import { probes, written } from './probes.ts';

describe('API keys over HTTP', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ routes: probes });
  });
  after(() => api.close());
  beforeEach(() => written.splice(0));

  it('opens what its scopes say', async () => {
    const { key } = await api.newKey({ scopes: ['jobs:read'] });
    expect((await api.get('/v1/revised-probe', { key })).status).to.equal(200);
  });

  it('is asked for with 401 and Bearer', async () => {
    for (const headers of [
      {},
      ...['', '  ', 'Bearer', 'bearer '].map((Authorization) => ({ Authorization })),
    ]) {
      const answer = await api.get('/v1/revised-probe', { headers });
      expect([answer.status, answer.body.error.code]).to.deep.equal([401, 'api_key_missing']);
      expect(answer.headers.get('WWW-Authenticate')).to.equal('Bearer');
    }
  });

  it('looks the same whether malformed, mistyped, unknown or of another scheme', async () => {
    const { key } = await api.newKey({ scopes: ['jobs:read'] });
    const mistyped = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');
    const answers = new Set<string>();
    for (const authorization of [
      'Bearer nonsense',
      `Bearer ${mistyped}`,
      `Bearer ${key}x`,
      `Bearer ${key} ${key}`,
      `Basic ${key}`,
      key,
      `Bearer ${'x'.repeat(5_000)}`,
    ]) {
      const headers = { Authorization: authorization };
      const answer = await api.get('/v1/revised-probe', { headers });
      expect(answer.status).to.equal(401);
      expect(answer.headers.get('WWW-Authenticate')).to.equal('Bearer');
      answers.add(answer.text.replace(/"req_\w+"/, 'null'));
    }
    expect([...answers]).to.have.lengthOf(1);
  });

  it('does not depend on how Bearer is written', async () => {
    const { key } = await api.newKey({ scopes: ['jobs:read'] });
    for (const scheme of ['bearer', 'BEARER', 'Bearer ']) {
      const answer = await api.get('/v1/revised-probe', { headers: { Authorization: `${scheme} ${key}` } });
      expect(answer.status).to.equal(200);
    }
  });

  it('without the scope is refused by the scope’s name, before the body is looked at', async () => {
    const { key } = await api.newKey({ scopes: ['jobs:read'] });
    const answer = await api.post('/v1/probes', { nonsense: true }, { key });

    expect([answer.status, answer.body.error.code]).to.deep.equal([403, 'scope_missing']);
    expect(answer.body.error.message).to.include('jobs:cancel');
    expect(answer.body.error.details).to.deep.equal([
      { path: 'scopes', message: 'must include jobs:cancel', limit: 'jobs:cancel', value: 'jobs:read' },
    ]);
    expect(written).to.deep.equal([]);
  });

  it('is not needed for public reads, but good where it is sent', async () => {
    const { key } = await api.newKey();
    expect((await api.get('/v1/probes/first')).status).to.equal(200);
    for (const Authorization of [' ', 'Bearer', 'bearer '])
      expect((await api.get('/v1/probes/first', { headers: { Authorization } })).status).to.equal(200);
    expect((await api.get('/v1/probes/first', { key })).status).to.equal(200);
    for (const path of ['/v1/probes/first', '/openapi.json', '/v1/openapi.json'])
      for (const authorization of ['Bearer nonsense', 'Basic YTpi', `Bearer ${key.slice(0, -1)}?`]) {
        const answer = await api.get(path, { headers: { Authorization: authorization } });
        expect([answer.status, answer.body.error.code], path).to.deep.equal([401, 'api_key_invalid']);
        expect(answer.headers.get('WWW-Authenticate')).to.equal('Bearer');
      }
  });

  it('must be good for pages and texts too', async () => {
    for (const path of ['/', '/agents', '/docs', '/llms.txt', '/robots.txt', '/.well-known/security.txt']) {
      const answer = await fetch(api.url + path, { headers: { Authorization: 'Bearer nonsense' } });
      expect([answer.status, answer.headers.get('WWW-Authenticate')], path).to.deep.equal([401, 'Bearer']);
      expect(await answer.text(), path).to.include('The API key is not valid.');
    }
  });
});

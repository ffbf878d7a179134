import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { startApi, type TestApi } from '../support/api.ts';

const COMMITTED = new URL('../../openapi.json', import.meta.url);

describe('the description of the API', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('is served as it is committed (npm run openapi writes it)', async () => {
    const { text } = await api.get('/openapi.json');
    expect(text === readFileSync(COMMITTED, 'utf8'), 'openapi.json is as served').to.equal(true);
  });

  it('is the same at both addresses, and need not be fetched twice', async () => {
    const first = await api.get('/openapi.json');
    const second = await api.get('/v1/openapi.json');
    expect(second.text).to.equal(first.text);
    expect(first.headers.get('Cache-Control')).to.equal('public, max-age=300');

    const etag = first.headers.get('ETag') ?? '';
    const again = await api.get('/v1/openapi.json', { headers: { 'If-None-Match': etag } });
    expect([again.status, again.text]).to.deep.equal([304, '']);
  });

  it('gives patterns as JSON Schema has them: readable as Unicode, without delimiters and flags', async () => {
    const { text } = await api.get('/openapi.json');
    const patterns = new Set<string>();
    JSON.parse(text, (name, value: unknown) => {
      if (name === 'pattern' && typeof value === 'string') patterns.add(value);
      return value;
    });

    expect(patterns.size).to.be.greaterThan(5);
    for (const pattern of patterns) {
      expect(() => new RegExp(pattern, 'u')).to.not.throw();
      expect(pattern).to.not.match(/\$\/[a-z]*$/);
    }
  });

  it('does not count against the public limit', async () => {
    expect((await api.get('/openapi.json')).headers.get('RateLimit')).to.equal(null);
  });
});

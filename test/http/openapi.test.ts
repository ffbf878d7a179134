import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { descriptions } from '../../src/http/openapi/descriptions.ts';
import { routes } from '../../src/http/routes.ts';
import { startApi, type TestApi } from '../support/api.ts';

const committed = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

describe('the description of the API', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  for (const { file, paths } of descriptions) {
    it(`is served as ${file} is committed (npm run openapi writes it)`, async () => {
      const { text } = await api.get(`/${file}`);
      expect(text === committed(file), `${file} is as served`).to.equal(true);
    });

    it(`is the same at both addresses of ${file}, and need not be fetched twice`, async () => {
      const [one = '', other = ''] = paths;
      const first = await api.get(one);
      const second = await api.get(other);
      expect(second.text).to.equal(first.text);
      expect(first.headers.get('Cache-Control')).to.equal('public, max-age=300');

      const etag = first.headers.get('ETag') ?? '';
      const again = await api.get(other, { headers: { 'If-None-Match': etag } });
      expect([again.status, again.text]).to.deep.equal([304, '']);
    });
  }

  it('is of one product: each route stands in one description', async () => {
    const pathsOf = async (file: string) => Object.keys(JSON.parse((await api.get(`/${file}`)).text).paths);
    const [market, data] = [await pathsOf('openapi.json'), await pathsOf('openapi.data.json')];
    expect([...market, ...data]).to.have.members([...new Set(routes.map(({ path }) => path))]);
    expect(data.filter((path) => !path.startsWith('/api/v1/'))).to.deep.equal([]);
    expect(data).to.include.members([
      '/api/v1/tools',
      '/api/v1/models/{id}',
      '/api/v1/changes',
      '/api/v1/usage',
    ]);
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

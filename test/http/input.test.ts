import { expect } from 'chai';
import { startApi, type TestApi } from '../support/api.ts';
import { probes } from './probes.ts';

describe('the input of an operation over HTTP', () => {
  let api: TestApi;
  before(async () => (api = await startApi({ routes: probes })));
  after(() => api.close());

  describe('in the query', () => {
    it('understands each type by its schema', async () => {
      const { body } = await api.get(
        '/v1/probes/first?limit=7&ratio=-0.5&deep=true&tags=a,b%20c&mode=slow&text=1%2B1+x',
      );

      expect(body.data).to.deep.equal({
        name: 'first',
        limit: 7,
        ratio: -0.5,
        deep: true,
        tags: ['a', 'b c'],
        mode: 'slow',
        text: '1+1 x',
      });
    });

    it('fills in what is absent', async () => {
      expect((await api.get('/v1/probes/first?')).body.data).to.deep.equal({ name: 'first', limit: 20 });
    });

    it('keeps digits as text where text is asked for', async () => {
      expect((await api.get('/v1/probes/first?text=007')).body.data['text']).to.equal('007');
    });

    const wrong: readonly [query: string, path: string, message: RegExp][] = [
      ['limit=0', 'limit', /at least 1/],
      ['limit=101', 'limit', /at most 100/],
      ['limit=abc', 'limit', /must be a number/],
      ['limit=', 'limit', /must be a number/],
      ['limit=1e1', 'limit', /must be a number/],
      ['limit=07', 'limit', /must be a number/],
      ['limit=%2B7', 'limit', /must be a number/],
      ['limit=0x10', 'limit', /must be a number/],
      ['limit=1.5', 'limit', /whole number/],
      ['limit=100000', 'limit', /at most 100/],
      ['deep=1', 'deep', /true or false/],
      ['deep=TRUE', 'deep', /true or false/],
      ['mode=medium', 'mode', /one of fast, slow/],
      ['tags=a,b,c,d', 'tags', /at most 3 entries/],
      ['limt=5', 'limt', /not a known query parameter; known are limit, ratio/],
      ['Limit=5', 'Limit', /not a known query parameter/],
      ['limit[]=5', 'limit[]', /not a known query parameter/],
      ['name=other', 'name', /not a known query parameter/],
      ['__proto__=1', '__proto__', /not a known query parameter/],
      ['constructor=1', 'constructor', /not a known query parameter/],
      ['limit=5&limit=5', 'limit', /more than once/],
      ['text=%zz', 'text', /percent-encoded/],
      ['text=%ff', 'text', /percent-encoded/],
    ];
    for (const [query, path, message] of wrong) {
      it(`refuses ${query} and names it`, async () => {
        const { status, body } = await api.get(`/v1/probes/first?${query}`);

        expect(status).to.equal(400);
        expect(body.error.code).to.equal('invalid_request');
        expect(body.error.details).to.have.lengthOf(1);
        expect(body.error.details?.[0]?.path).to.equal(path);
        expect(body.error.details?.[0]?.message).to.match(message);
      });
    }

    it('takes a list with commas and repeated alike', async () => {
      const commas = await api.get('/v1/probes/first?tags=a,b,c');
      const repeated = await api.get('/v1/probes/first?tags=a&tags=b%2Cc');

      expect(repeated.status).to.equal(200);
      expect(repeated.body.data).to.deep.equal(commas.body.data);
    });

    it('names everything that is wrong at once', async () => {
      const { body } = await api.get('/v1/probes/first?limit=0&limt=1&deep=maybe');

      expect(body.error.details?.map(({ path }) => path)).to.have.members(['limit', 'limt', 'deep']);
    });

    it('names what is given more than once only once', async () => {
      const { body } = await api.get(`/v1/probes/first?${'limit=5&text=a&'.repeat(100)}`);
      expect(body.error.details?.map(({ path }) => path)).to.deep.equal(['limit', 'text']);
    });

    it('is the same before Express and in it', async () => {
      for (const query of ['limit=7&tags=a', 'limit=0&zz=1', 'limit=5&limit=5', 'text=%zz']) {
        const hot = await api.get(`/v1/probes/first?${query}`);
        const cold = await api.get(`/v1/cold-probes/first?${query}`);

        expect(cold.status).to.equal(hot.status);
        expect(withoutRequestId(cold.text)).to.equal(withoutRequestId(hot.text));
        expect([...cold.headers.keys()]).to.deep.equal([...hot.headers.keys()]);
      }
    });
  });
});

function withoutRequestId(text: string): string {
  return text.replace(/"req_\w+"/, 'null');
}

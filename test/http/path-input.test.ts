import { expect } from 'chai';
import { startApi, type TestApi } from '../support/api.ts';
import { probes } from './probes.ts';

describe('the input of an operation over HTTP', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ routes: probes });
  });
  after(() => api.close());

  describe('in the path', () => {
    it('is decoded', async () => {
      expect((await api.get('/v1/probes/%66irst')).body.data['name']).to.equal('first');
    });

    it('says not found when it names nothing that could exist', async () => {
      for (const name of ['FIRST', 'a%2Fb', '..%2F..', '%00']) {
        const { status, body } = await api.get(`/v1/probes/${name}`);
        expect([name, status, body.error.code]).to.deep.equal([name, 404, 'not_found']);
      }
    });

    it('refuses what is not percent-encoding', async () => {
      const { status, body } = await api.get('/v1/probes/%zz');
      expect([status, body.error.code]).to.deep.equal([400, 'invalid_request']);
    });
  });
});

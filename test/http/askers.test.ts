/** Whose turn a search takes where searches wait for one another: the account of its key, or the address without one. */
import { expect } from 'chai';
import { z } from 'zod';
import { routes } from '../../src/http/routes.ts';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import { type DataApi, startDataApi } from '../support/data-api.ts';

/** Made from the routes, so that a new search cannot be forgotten. */
const SEARCHES = routes.filter(
  ({ operation }) => operation.input instanceof z.ZodObject && 'q' in operation.input.shape,
);

describe('A search is its asker’s', () => {
  let api: DataApi;
  /** Of each search. */
  let askers: (readonly [asker: string | undefined, hasKey: boolean | undefined])[];
  before(async () => {
    const store = memoryViewStore();
    const views: typeof store = {
      ...store,
      page(view, query, asking) {
        if (query.words !== undefined) askers.push([asking?.asker, asking?.hasKey]);
        return store.page(view, query);
      },
    };
    askers = [];
    api = await startDataApi({ engines: { views } });
    await api.importInto('directory/mcp/servers', [{ externalId: 'io.x/one', name: 'One' }]);
  });
  beforeEach(() => {
    askers = [];
  });
  after(() => api.close());

  it('in every list that takes words', async () => {
    const { key, accountId } = await api.customer('enterprise');
    expect(SEARCHES).to.have.lengthOf.at.least(6);
    for (const { path, operation } of SEARCHES) {
      askers = [];
      const isPublic = operation.scope === null;
      const place = path.replace('{platform}', 'mcp').replace('{contentType}', 'servers');
      await api.get(`${place}?q=a`, { key });
      if (isPublic) await api.get(`${place}?q=b`);
      expect(askers, path).to.deep.equal(
        isPublic
          ? [
              [accountId, true],
              ['127.0.0.1', false],
            ]
          : [[accountId, true]],
      );
    }
  });

  it('over MCP as well', async () => {
    const { key, accountId } = await api.customer('enterprise');
    const params = { name: 'search', arguments: { query: 'invoice' } };
    const headers = { Accept: 'application/json, text/event-stream' };
    await api.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { key, headers });
    expect(askers).to.have.lengthOf.at.least(1);
    for (const one of askers) expect(one).to.deep.equal([accountId, true]);
  });
});

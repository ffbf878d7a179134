/** Reads of views with a key go in turns of accounts, those that anybody may make without one too. */
import { expect } from 'chai';
import type { ViewStore } from '../../projections/view-store.ts';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import { type DataApi, startDataApi } from '../support/data-api.ts';

const CROWD = 60;
/** How long each read holds the event loop, more than it has for reads in one of its rounds. */
const HELD_MS = 5;

describe('Reads with a key', function () {
  this.timeout(60_000);
  let api: DataApi;
  let holdsLoop: boolean;
  before(async () => {
    holdsLoop = false;
    api = await startDataApi({ engines: { views: holding(memoryViewStore()) } });
  });
  beforeEach(() => {
    holdsLoop = false;
  });
  after(() => api.close());

  function holding(store: ViewStore): ViewStore {
    return {
      ...store,
      page(view, query, asking) {
        const endMs = performance.now() + (holdsLoop ? HELD_MS : 0);
        while (performance.now() < endMs);
        return store.page(view, query, asking);
      },
    };
  }

  for (const path of ['/v1/agents', '/api/v1/tools'])
    it(`of ${path} by one account are not answered before that of another`, async () => {
      const [crowd, other] = [await api.customer('enterprise'), await api.customer('enterprise')];
      // Their connections are open, their keys known.
      await Promise.all(Array.from({ length: CROWD }, () => api.get(path, { key: crowd.key })));
      await api.get(path, { key: other.key });
      holdsLoop = true;
      let answered = 0;
      const many = Array.from({ length: CROWD }, async (_, i) => {
        await api.get(`${path}?limit=${1 + i}`, { key: crowd.key });
        answered += 1;
      });
      // Come last, at the same time.
      await api.get(`${path}?limit=100`, { key: other.key });

      expect(answered).to.be.below(CROWD / 2);
      await Promise.all(many);
    });
});

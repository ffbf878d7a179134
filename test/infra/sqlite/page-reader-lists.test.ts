/** Lists whose rows take long to count are found by a worker of their own, until their number is known. */
import { expect } from 'chai';
import { startPageReaderWorker } from '../../../infra/sqlite/page-reader.ts';
import { openSqliteViewStore } from '../../../infra/sqlite/view-store.ts';
import { RELEVANCE } from '../../../projections/page-query.ts';
import type { CollectionSpec, PageQuery, ViewStore, ViewWrite } from '../../../projections/view-store.ts';
import { wordBands } from '../../../projections/words.ts';
import { openLive } from '../../support/open-live.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';
import { until } from '../../support/until.ts';

const spec: CollectionSpec = {
  name: 'stacks',
  version: 1,
  fields: { pages: 'integer', colour: 'text' },
  orders: { byPages: [{ field: 'pages', direction: 'desc' }], relevance: [] },
  searchable: true,
};
/** So many that to count those of two conditions takes some milliseconds. */
const DOCUMENTS = 45_000;
const BOTH = { colour: 'red', pages: { min: 3 } };

describe('The worker that finds lists', function () {
  this.timeout(60_000);
  let folder: TempFolder;
  let store: ViewStore;
  let asked: number;
  let sent: number;
  /** Resolves when what is asked of a worker may come to it. */
  let gate: Promise<void>;
  before(async () => {
    folder = await tempFolder();
    gate = Promise.resolve();
    store = openSqliteViewStore(folder.file('views.db'), {
      startWorker(path) {
        const worker = startPageReaderWorker(path);
        worker.on('message', () => (asked += 1));
        const send = worker.postMessage.bind(worker);
        worker.postMessage = (message) => {
          sent += 1;
          void gate.then(() => send(message));
        };
        return worker;
      },
    });
    await openLive(store, [spec]);
    await add(null, '1', DOCUMENTS);
  });
  beforeEach(() => {
    asked = 0;
    sent = 0;
  });
  after(async () => {
    await store.close();
    await folder.remove();
  });

  async function add(from: string | null, to: string, count: number): Promise<void> {
    const generation = (await store.status())[0]!.generation;
    const writes = Array.from({ length: count }, (_, i): ViewWrite => {
      const fields = { pages: i, colour: i % 3 === 0 ? 'red' : 'blue' };
      const document = { json: shown(i), fields, words: wordBands(['', '', '']) };
      return { key: `${to} ${i}`, document, position: to };
    });
    await store.commit([{ view: 'stacks', generation, from, to, writes }]);
  }
  const listed = (filter: PageQuery['filter'], more: Partial<PageQuery> = {}) =>
    store.page('stacks', { filter, order: 'byPages', limit: 20, ...more });

  it('finds those whose rows take long to count, until that is known', async () => {
    const first = await listed(BOTH);
    expect([first.total, first.rows[0], asked]).to.deep.equal([DOCUMENTS / 3 - 1, shown(DOCUMENTS - 3), 1]);
    const next = await listed(BOTH, { after: first.next!, limit: 10 });
    expect([next.total, next.rows[0], asked]).to.deep.equal([first.total, shown(DOCUMENTS - 63), 1]);
  });

  it('counts anew once documents came, and not as of a moment before', async () => {
    const { total } = await listed(BOTH);
    asked = 0;
    await add('1', '2', 7);
    const before = listed(BOTH);
    await add('2', '3', 7);
    await before;
    expect((await listed(BOTH)).total).to.equal(total + 4);
    expect(asked).to.equal(2);
  });

  it('leaves to the event loop those that are counted soon', async () => {
    await listed({});
    await listed({ colour: 'blue' });
    expect(asked).to.equal(0);
  });

  it('is not the one that searches: lists do not wait for searches', async () => {
    let goOn = (): void => {};
    gate = new Promise((resolve) => (goOn = resolve));
    const search = store.page('stacks', { filter: {}, order: RELEVANCE, limit: 20, words: ['word'] });
    await until('it is asked for', () => sent === 1);
    gate = Promise.resolve();
    expect((await listed({ colour: 'red', pages: { min: 5 } })).total).to.be.above(0);
    expect(asked).to.equal(1);
    goOn();
    await search;
    expect(asked).to.equal(2);
  });

  it('refuses a place that is none in the order, as the event loop does', async () => {
    const query = { after: [7, 8, 'key'] };
    expect(await rejectionOf(listed({ colour: 'red', pages: { min: 4 } }, query))).to.be.instanceOf(
      RangeError,
    );
  });
});

function shown(pages: number): string {
  return JSON.stringify({ pages });
}

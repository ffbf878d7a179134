/** Searches that may take long are found by a worker: what they give, in whose turn, and what becomes of them without it. */
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { startPageReaderWorker } from '../../../infra/sqlite/page-reader.ts';
import { openSqliteViewStore } from '../../../infra/sqlite/view-store.ts';
import { RELEVANCE } from '../../../projections/page-query.ts';
import {
  type Asking,
  type CollectionSpec,
  PageAbandoned,
  type PageQuery,
  ViewsUnavailable,
  type ViewStore,
  type ViewWrite,
} from '../../../projections/view-store.ts';
import { wordBands } from '../../../projections/words.ts';
import { memoryViewStore } from '../../contract/memory/view-store.ts';
import { openLive } from '../../support/open-live.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';
import { until } from '../../support/until.ts';

const spec: CollectionSpec = {
  name: 'shelf',
  version: 1,
  fields: { pages: 'integer', colour: 'text' },
  orders: { byPages: [{ field: 'pages', direction: 'desc' }], relevance: [] },
  searchable: true,
};
/** With so many documents a search for all these words may take long, as far as anybody knows beforehand. */
const DOCUMENTS = 800;
const WORDS = Array.from({ length: 16 }, (_, i) => `word${String.fromCharCode(97 + i)}`);
const STAYS = new AbortController().signal;
const SEARCH: PageQuery = { filter: {}, order: RELEVANCE, limit: 20, words: WORDS };

describe('The worker that finds pages', () => {
  let folder: TempFolder;
  let store: ViewStore;
  let workers: Worker[];
  let asked: number;
  /** Resolves when the worker may be asked. */
  let gate: Promise<void>;
  beforeEach(async () => {
    folder = await tempFolder();
    workers = [];
    asked = 0;
    gate = Promise.resolve();
    store = openSqliteViewStore(folder.file('views.db'), { startWorker });
    await openLive(store, [spec]);
    await put(store, null, '1', all());
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });

  function startWorker(path: string): Worker {
    const worker = startPageReaderWorker(path);
    worker.on('message', () => (asked += 1));
    const send = worker.postMessage.bind(worker);
    worker.postMessage = (message) => void gate.then(() => send(message));
    workers.push(worker);
    return worker;
  }

  async function put(
    into: ViewStore,
    from: string | null,
    to: string,
    writes: readonly Omit<ViewWrite, 'position'>[],
  ): Promise<void> {
    const generation = (await into.status())[0]!.generation;
    const commit = { view: 'shelf', generation, from, to };
    const refused = await into.commit([
      { ...commit, writes: writes.map((write) => ({ ...write, position: to })) },
    ]);
    expect(refused).to.deep.equal([]);
  }

  /** Which changes with `limit`, so that no two searches are the same one. */
  const searched = (limit: number, asker?: string, asking: Partial<Asking> = {}) =>
    store.page('shelf', { ...SEARCH, limit }, { asker, signal: STAYS, ...asking });

  it('finds what the event loop finds, page after page, in every order and with filters', async () => {
    const model = memoryViewStore();
    await openLive(model, [spec]);
    await put(model, null, '1', all());
    for (const order of ['byPages', RELEVANCE])
      for (const filter of [{}, { colour: 'red' }, { colour: 'none' }, { pages: { min: 700 } }]) {
        let query: PageQuery = { ...SEARCH, order, filter, limit: 300 };
        for (let isLast = false; !isLast;) {
          const page = await store.page('shelf', query);
          expect(page, JSON.stringify(query)).to.deep.equal(await model.page('shelf', query));
          isLast = page.next === null;
          if (page.next !== null) query = { ...query, after: page.next };
        }
      }
    expect(asked).to.be.above(0);
  });

  it('leaves to the event loop what is cheap and what is known', async () => {
    await store.page('shelf', { filter: {}, order: 'byPages', limit: 20 });
    await store.page('shelf', { ...SEARCH, words: ['wordb'] });
    expect(workers).to.have.length(0);
    const first = await searched(20);
    expect(await searched(20)).to.equal(first);
    expect(asked).to.equal(1);
  });

  it('sees what was committed before it was asked, here and by another process', async () => {
    const totals = async () => (await searched(1)).total;
    expect(await totals()).to.equal(DOCUMENTS);
    await put(store, '1', '2', [{ key: 'more', document: documentOf(1) }]);
    expect(await totals()).to.equal(DOCUMENTS + 1);
    const other = openSqliteViewStore(folder.file('views.db'));
    await other.open([spec]);
    await put(other, '2', '3', [{ key: 'still more', document: documentOf(2) }]);
    await other.close();
    await store.status();
    expect(await totals()).to.equal(DOCUMENTS + 2);
  });

  it('does not remember a page as of a moment before a commit', async () => {
    const before = searched(1);
    await put(store, '1', '2', [{ key: 'more', document: documentOf(1) }]);
    await before;
    expect((await searched(1)).total).to.equal(DOCUMENTS + 1);
  });

  it('follows to a generation that is swapped in', async () => {
    await searched(1);
    const { generation } = await store.beginGeneration({ ...spec, version: 2 });
    const writes = all()
      .slice(0, 700)
      .map((write) => ({ ...write, position: '1' }));
    await store.commit([{ view: 'shelf', generation, from: null, to: '1', writes }]);
    await store.promote('shelf', generation);
    expect((await searched(1)).total).to.equal(700);
    await store.forgetAll();
    expect(await rejectionOf(searched(1))).to.have.property('name', 'ViewBeingBuilt');
  });

  it('refuses a place that is none in the order, as the event loop does', async () => {
    const query = { ...SEARCH, after: [7, 'key'] };
    expect(await rejectionOf(store.page('shelf', query))).to.be.instanceOf(RangeError);
  });

  it('goes from asker to asker: whoever asks much is not answered before whoever asks little', async () => {
    const answered: string[] = [];
    const ask = async (limit: number, asker: string): Promise<void> => {
      await searched(limit, asker);
      answered.push(asker);
    };
    const many = Array.from({ length: 100 }, (_, i) => ask(1 + i, 'many'));
    await Promise.all([...many, ask(200, 'one'), ask(201, 'another')]);
    // The one under way, and one in between.
    expect(answered.indexOf('one')).to.be.at.most(2);
    expect(answered.indexOf('another')).to.be.at.most(4);
  });

  it('goes from those with a key to those without and back, however many addresses ask', async () => {
    const answered: string[] = [];
    const ask = async (limit: number, asker: string, hasKey: boolean): Promise<void> => {
      await searched(limit, asker, { hasKey });
      answered.push(asker);
    };
    const many = Array.from({ length: 100 }, (_, i) => ask(1 + i, `address ${i}`, false));
    await Promise.all([...many, ask(200, 'one', true), ask(201, 'another', true)]);
    expect(answered.indexOf('one')).to.be.at.most(2);
    expect(answered.indexOf('another')).to.be.at.most(4);
  });

  it('answers once those who asked the same at once', async () => {
    const pages = await Promise.all(Array.from({ length: 10 }, (_, i) => searched(5, `asker ${i}`)));
    expect(new Set(pages).size).to.equal(1);
    expect(asked).to.equal(1);
  });

  it('lets one asker have so many wait and no more, and others all the same', async () => {
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 600 }, (_, i) => searched(1 + i, 'many')),
      searched(700, 'one'),
    ]);
    expect(outcomes.at(-1)).to.have.property('status', 'fulfilled');
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(refused).to.have.length.within(50, 150);
    for (const reason of refused) expect(reason).to.be.instanceOf(ViewsUnavailable);
    expect((await searched(701, 'many')).total).to.equal(DOCUMENTS);
  });

  /** What it is asked from now on is kept from it until then. */
  function heldUp(): () => void {
    let goOn = (): void => {};
    gate = new Promise((resolve) => (goOn = resolve));
    return goOn;
  }

  it('is not asked what waits and nobody waits for any more', async () => {
    const goOn = heldUp();
    const first = searched(1);
    const caller = new AbortController();
    const abandoned = rejectionOf(searched(2, 'one', { signal: caller.signal }));
    const last = searched(3);
    caller.abort();
    goOn();
    expect([(await first).total, (await last).total]).to.deep.equal([DOCUMENTS, DOCUMENTS]);
    expect(await abandoned).to.be.instanceOf(PageAbandoned);
    expect(asked).to.equal(2);
  });

  it('is not asked what had no turn within its time, which is refused when that is over', async () => {
    const goOn = heldUp();
    const first = searched(1);
    const late = rejectionOf(searched(2, 'one', { untilMs: performance.now() + 30 }));
    const inTime = searched(3, 'one', { untilMs: performance.now() + 60_000 });
    // While the first is still under way.
    expect(await late).to.be.instanceOf(ViewsUnavailable);
    expect(asked).to.equal(0);
    goOn();
    expect([(await first).total, (await inTime).total]).to.deep.equal([DOCUMENTS, DOCUMENTS]);
    expect(asked).to.equal(2);
  });

  it('lets an asker wait anew in the place of what was refused', async () => {
    const goOn = heldUp();
    const first = searched(1);
    const soon = { untilMs: performance.now() + 30 };
    const refused = await Promise.allSettled(
      Array.from({ length: 500 }, (_, i) => searched(2 + i, 'many', soon)),
    );
    expect(new Set(refused.map(({ status }) => status))).to.deep.equal(new Set(['rejected']));
    const again = searched(600, 'many');
    goOn();
    expect([(await first).total, (await again).total]).to.deep.equal([DOCUMENTS, DOCUMENTS]);
  });

  it('that dies takes one question with it, and is followed by another', async () => {
    await searched(1);
    const [first] = workers;
    const ended = once(first!, 'exit');
    const lost = searched(2);
    await first!.terminate();
    await ended;
    const outcome = await lost.then(
      () => null,
      (error: unknown) => error,
    );
    if (outcome !== null) expect(outcome).to.be.instanceOf(ViewsUnavailable);
    await until('another answers', async () => (await searched(3)).total === DOCUMENTS);
    expect(workers).to.have.length(2);
  });

  it('leaves documents to be read and written meanwhile, and ends with the store', async () => {
    await searched(1);
    const searches = Promise.allSettled(Array.from({ length: 50 }, (_, i) => searched(2 + i)));
    expect(await store.getJson('shelf', 'book 1')).to.equal('{"pages":1}');
    await put(store, '1', '2', [{ key: 'more', document: documentOf(1) }]);
    const ended = once(workers[0]!, 'exit');
    await store.close();
    await ended;
    for (const one of await searches)
      if (one.status === 'rejected') expect(one.reason).to.be.instanceOf(ViewsUnavailable);
    expect(new Database(folder.file('views.db')).pragma('integrity_check', { simple: true })).to.equal('ok');
  });
});

function all(): Omit<ViewWrite, 'position'>[] {
  return Array.from({ length: DOCUMENTS }, (_, i) => ({ key: `book ${i}`, document: documentOf(i) }));
}

/** Each tenth has all the words in its name, each other tenth in what else tells, and the rest beneath. */
function documentOf(pages: number): ViewWrite['document'] {
  const words = WORDS.map((word) => `${word}${pages}`).join(' ');
  const texts = ['a name', 'a tagline', 'a description'];
  texts[Math.min(pages % 10, 2)] += ` ${words}`;
  return {
    json: JSON.stringify({ pages }),
    fields: { pages, colour: pages % 3 === 0 ? 'red' : 'blue' },
    words: wordBands(texts),
  };
}

/** Commits when their writer dies, when several write at once, and when a write arrives late. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { connectMongo } from '../../../infra/mongodb/connection.ts';
import { type Change, changesOf } from '../../../infra/mongodb/document-changes.ts';
import { viewDocuments } from '../../../infra/mongodb/view-documents.ts';
import { viewLayout } from '../../../infra/mongodb/view-layout.ts';
import { mongoViewStore, openMongoViewStore } from '../../../infra/mongodb/view-store.ts';
import { type ViewStore, ViewsUnavailable, type ViewWrite } from '../../../projections/view-store.ts';
import { wordBands } from '../../../projections/words.ts';
import { type Fate, startMongoProxy } from '../../support/mongodb-proxy.ts';
import {
  type MongoDatabase,
  newMongoDatabase,
  type OwnMongo,
  startMongo,
  withDatabase,
  withMongo,
  withOwnMongo,
} from '../../support/mongodb-server.ts';
import { until } from '../../support/until.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { counting, expectOutcomeOf, type History, live, nextCommit, project } from './counting-view.ts';
import { openLive } from '../../support/open-live.ts';

const KEYS = ['a', 'b', 'c', 'd', 'e'];
/** Documents come, change, go and come again. */
const history: History = Array.from({ length: 60 }, (_, i) =>
  i % 11 === 10 ? null : (KEYS[(i * 3) % 5] ?? 'a'),
);
/** Whoever finds what another has left on FerretDB waits so long for him. */
const DEADLINE_MS = 1_000;
const WRITES = ['insert', 'update', 'delete'];

withOwnMongo('MongoDB views whose writer dies', () => {
  let server: OwnMongo;
  before(async () => {
    server = await startMongo();
  });
  after(() => server.close());

  /** A store whose connections are cut at some of its writes. */
  async function dying(database: string, fateOf: (write: number) => Fate) {
    let writes = 0;
    const proxy = await startMongoProxy(server.port, (command) =>
      WRITES.some((name) => name in command) ? fateOf(writes++) : 'pass',
    );
    const store = await openMongoViewStore({
      url: withDatabase(proxy.url, database),
      deadlineMs: DEADLINE_MS,
    });
    return { store, close: () => Promise.all([store.close(), proxy.close()]) };
  }
  const surviving = (database: string): Promise<ViewStore> =>
    openMongoViewStore({ url: withDatabase(server.url, database), deadlineMs: DEADLINE_MS });

  for (const fate of ['cutBefore', 'cutAfter'] as const) {
    it(`are whole again after it died at any write (${fate})`, async function () {
      this.timeout(120_000);
      let isCut = true;
      for (let dyingAt = 0; isCut; dyingAt++) {
        const database = `${fate}-${dyingAt}`;
        const other = await surviving(database);
        await openLive(other, [counting]);
        await project(other, history.slice(0, 20), () => 7);
        isCut = false;
        const writer = await dying(database, (write) => {
          isCut ||= write === dyingAt;
          return write === dyingAt ? fate : 'pass';
        });
        const commit = await nextCommit(writer.store, history, 15);
        await writer.store.commit([commit!]).catch(onlyUnavailable);
        await writer.close();
        await project(other, history, () => 10);
        await expectOutcomeOf(history, other);
        await other.close();
      }
    });
  }

  it('have all of its last commit when somebody opens them', async () => {
    const first = await surviving('opening');
    await openLive(first, [counting]);
    const writer = await dying('opening', (write) => (write === 1 ? 'cutBefore' : 'pass'));
    const commit = await nextCommit(writer.store, history, 40);
    await writer.store.commit([commit!]).catch(onlyUnavailable);
    await writer.close();
    expect((await live(first)).checkpoint).to.equal(null);
    const second = await surviving('opening');
    await until('the commit is finished', async () => {
      await second.open([counting]);
      return (await live(second)).checkpoint !== null;
    });
    await expectOutcomeOf(history.slice(0, 40), second);
    await Promise.all([first.close(), second.close()]);
  });

  it('are what the events lead to, however many writers race and die', async function () {
    this.timeout(120_000);
    const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 5, maxLength: 5 });
    const deaths = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 5, maxLength: 5 });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(sizes, sizes, deaths, async (one, another, dyings) => {
        const database = `race-${(run += 1)}`;
        const stores = await Promise.all([surviving(database), surviving(database)]);
        for (const store of stores) await openLive(store, [counting]);
        const mortal = async (): Promise<void> => {
          for (const dyingAt of dyings) {
            const writer = await dying(database, (write) => (write === dyingAt ? 'cutAfter' : 'pass'));
            await project(writer.store, history, next(one)).catch(onlyUnavailable);
            await writer.close();
          }
        };
        await Promise.all([
          project(stores[0]!, history, next(one)),
          project(stores[1]!, history, next(another)),
          mortal(),
        ]);
        for (const store of stores) await expectOutcomeOf(history, store);
        await Promise.all(stores.map((store) => store.close()));
      }),
      { numRuns: 5 },
    );
  });
});

withMongo('MongoDB views that are written late', () => {
  let database: MongoDatabase;
  beforeEach(async () => {
    database = await newMongoDatabase();
  });
  afterEach(() => database.close());

  it('keep what later steps wrote and removed, when an earlier step is applied again', async () => {
    const link = await connectMongo(database);
    const documents = viewDocuments(link);
    const layout = viewLayout(1, counting);
    const put = (key: string, json: string) => changesOf(layout, [write(key, json)]);
    const remove = (key: string) => changesOf(layout, [{ key, position: '1', document: null }]);
    const apply = (step: number, ...changes: (readonly Change[])[]) =>
      documents.write(layout, step, changes.flat(), new Map());
    const first = [put('kept', 'old'), put('changed', 'old'), put('removed', 'old')];
    expect(await apply(1, ...first)).to.equal(3);
    expect(await apply(2, put('changed', 'new'), remove('removed'))).to.equal(-1);
    expect(await apply(1, ...first)).to.equal(null);
    const { json, presence } = await documents.load(layout, ['kept', 'changed', 'removed', 'never']);
    expect([...json]).to.have.deep.members([
      ['kept', 'old'],
      ['changed', 'new'],
    ]);
    expect([...presence.values()]).to.deep.equal(['there', 'there', 'gone', 'absent']);
    expect(await documents.count(layout)).to.equal(2);
    expect(await apply(3, put('removed', 'again'))).to.equal(1);
    await link.close();
  });

  it('are written whatever was believed to be there', async () => {
    const link = await connectMongo(database);
    const documents = viewDocuments(link);
    const layout = viewLayout(1, counting);
    const all = ['there', 'gone', 'absent'] as const;
    const keys = all.flatMap((is) => all.map((seems) => `${is} seems ${seems}`));
    const seen = new Map(keys.map((key) => [key, all.find((one) => key.endsWith(one)) ?? 'absent']));
    const starting = (...names: string[]) => keys.filter((key) => names.some((name) => key.startsWith(name)));
    const changing = (some: readonly string[], json: string | null) =>
      changesOf(
        layout,
        some.map((key) => (json === null ? { key, position: '1', document: null } : write(key, json))),
      );
    await documents.write(layout, 1, changing(starting('there', 'gone'), 'old'), new Map());
    await documents.write(layout, 2, changing(starting('gone'), null), new Map());
    for (const key of keys) await documents.write(layout, 3, changing([key], 'new'), seen);
    const { json } = await documents.load(layout, keys);
    expect([...json]).to.have.deep.members(keys.map((key) => [key, 'new']));
    expect(await documents.count(layout)).to.equal(keys.length);
    await link.close();
  });

  it('refuse the entry of a step whose own is forgotten', async () => {
    const link = await connectMongo(database);
    const store = mongoViewStore(link, 0);
    await openLive(store, [counting]);
    const early = await openMongoViewStore(database);
    const { generation } = await live(early);
    // It has seen the view before the first event, and believes that still.
    expect(
      await early.commit([{ view: 'counting', generation, from: 'nowhere', to: '1', writes: [] }]),
    ).to.deep.equal(['counting']);
    await project(store, history.slice(0, 10), () => 10);
    const journal = link.db.collection('journal');
    await until('the entry is forgotten', async () => (await journal.countDocuments()) === 0);
    const late = { view: 'counting', generation, from: null, to: '999999', writes: [write('z', '{}')] };
    expect(await early.commit([late])).to.deep.equal(['counting']);
    expect(await store.getJson('counting', 'z')).to.equal(undefined);
    await project(store, history, () => 10);
    await expectOutcomeOf(history, store);
    await Promise.all([store.close(), early.close()]);
  });

  it('leave few settled entries in the journal', async () => {
    const link = await connectMongo(database);
    const store = mongoViewStore(link, 2);
    await openLive(store, [counting]);
    const journal = link.db.collection('journal');
    for (const count of [10, 50]) {
      await project(store, history.slice(0, count), () => 1);
      await until('settled entries are gone', async () => (await journal.countDocuments()) <= 3);
    }
    await store.close();
  });

  it('take in commits that are larger than a document of MongoDB', async () => {
    const store = await openMongoViewStore(database);
    await openLive(store, [counting]);
    const { generation } = await live(store);
    const writes = Array.from({ length: 12 }, (_, i) =>
      write(`key ${i}`, randomBytes(1_200_000).toString('base64')),
    );
    expect(await store.commit([{ view: 'counting', generation, from: null, to: '1', writes }])).to.deep.equal(
      [],
    );
    const loaded = await store.load(
      'counting',
      generation,
      writes.map(({ key }) => key),
    );
    expect([...loaded.values()]).to.have.members(writes.map(({ document }) => document?.json));
    await store.close();
  });

  it('refuse a document that is too large before anything is written', async () => {
    const store = await openMongoViewStore(database);
    await openLive(store, [counting]);
    const { generation } = await live(store);
    const writes = [write('small', '{}'), write('large', 'x'.repeat(16 * 1024 * 1024))];
    const error = await rejectionOf(
      store.commit([{ view: 'counting', generation, from: null, to: '1', writes }]),
    );
    expect(error).to.be.instanceOf(RangeError);
    await project(store, history, () => 20);
    await expectOutcomeOf(history, store);
    await store.close();
  });
});

function write(key: string, json: string): ViewWrite {
  return { key, position: '1', document: { json, fields: {}, words: wordBands([]) } };
}

/** Answers with the sizes one after the other, for ever. */
function next(sizes: readonly number[]): () => number {
  let i = 0;
  return () => sizes[i++ % sizes.length] ?? 1;
}

function onlyUnavailable(error: unknown): void {
  if (!(error instanceof ViewsUnavailable)) throw error;
}

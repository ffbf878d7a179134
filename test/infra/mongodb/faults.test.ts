/** The views in MongoDB while the engine is away or silent, while they are swapped, and after a process ended badly. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { openMongoViewStore } from '../../../infra/mongodb/view-store.ts';
import {
  type PageQuery,
  type ViewStore,
  ViewsUnavailable,
  type ViewWrite,
} from '../../../projections/view-store.ts';
import { wordBands } from '../../../projections/words.ts';
import {
  type MongoDatabase,
  newMongoDatabase,
  type OwnMongo,
  startMongo,
  withMongo,
  withOwnMongo,
} from '../../support/mongodb-server.ts';
import { startMongoProxy } from '../../support/mongodb-proxy.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { until } from '../../support/until.ts';
import { counting, live } from './counting-view.ts';
import { openLive } from '../../support/open-live.ts';

const everything: PageQuery = { filter: {}, order: 'seen', limit: 100 };

function write(key: string): ViewWrite {
  return { key, position: '1', document: { json: `"${key}"`, fields: {}, words: wordBands([key]) } };
}

async function put(store: ViewStore, ...keys: string[]): Promise<boolean> {
  const { generation, checkpoint } = await live(store);
  const to = String(Number(checkpoint ?? 0) + 1);
  const commit = { view: 'counting', generation, from: checkpoint, to, writes: keys.map(write) };
  return (await store.commit([commit])).length === 0;
}

withOwnMongo('MongoDB views and a server in trouble', () => {
  let server: OwnMongo;
  let store: ViewStore;
  beforeEach(async () => {
    server = await startMongo();
    store = await openMongoViewStore({ url: server.url, deadlineMs: 1_000 });
    await openLive(store, [counting]);
    expect(await put(store, 'a')).to.equal(true);
  });
  afterEach(async () => {
    await store.close();
    await server.close();
  });

  /** Every call of the port: none may hang, and none may say anything else. */
  async function expectUnavailable(store: ViewStore): Promise<void> {
    const calls: (() => Promise<unknown>)[] = [
      () => store.open([counting]),
      () => store.beginLive([counting]),
      () => store.getJson('counting', 'a'),
      () => store.page('counting', everything),
      () => store.load('counting', 1, ['a']),
      () => store.commit([{ view: 'counting', generation: 1, from: '1', to: '2', writes: [write('b')] }]),
      () => store.beginGeneration(counting),
      () => store.makeReadable('counting', 1),
      () => store.promote('counting', 1),
      () => store.dropGeneration('counting', 1),
      () => store.setStuck('counting', 1, null),
      () => store.skip({ view: 'counting', eventId: 'e', by: 'me', reason: 'why', at: 'now' }),
      () => store.skipped(),
      () => store.status(),
    ];
    const outcomes = await Promise.allSettled(calls.map((call) => call()));
    for (const [i, outcome] of outcomes.entries()) {
      const reason: unknown = outcome.status === 'rejected' ? outcome.reason : 'it went well';
      expect(reason, String(calls[i])).to.be.instanceOf(ViewsUnavailable);
    }
  }

  /** Also where the server has taken in by then what it was told while it was silent. */
  async function expectWellAgain(store: ViewStore): Promise<void> {
    await until('the views can be written and read again', async () => {
      try {
        return (await put(store, 'c')) && (await store.getJson('counting', 'c')) === '"c"';
      } catch (error) {
        if (error instanceof ViewsUnavailable) return false;
        throw error;
      }
    });
    expect((await store.page('counting', everything)).rows).to.include.members(['"a"', '"c"']);
  }

  it('are unavailable while it is away, and back when it is', async () => {
    await server.kill();
    await expectUnavailable(store);
    await server.start();
    await expectWellAgain(store);
  });

  it('are unavailable while it is silent, and back when it speaks', async () => {
    server.silence();
    await expectUnavailable(store);
    server.wake();
    await expectWellAgain(store);
  });

  it('ask nothing after a silence but whether it is over', async () => {
    const asked: string[] = [];
    let isSilent = false;
    const proxy = await startMongoProxy(server.port, (command) => {
      asked.push(...Object.keys(command).slice(0, 1));
      return isSilent ? 'swallow' : 'pass';
    });
    const behind = await openMongoViewStore({ url: proxy.url, deadlineMs: 1_000 });
    await behind.open([counting]);
    isSilent = true;
    expect(await rejectionOf(behind.status())).to.be.instanceOf(ViewsUnavailable);
    asked.length = 0;
    await expectUnavailable(behind);
    expect(asked.filter((command) => command !== 'ping' && command !== 'hello')).to.deep.equal([]);
    isSilent = false;
    await expectWellAgain(behind);
    await behind.close();
    await proxy.close();
  });

  it('are closed while it is silent', async () => {
    server.silence();
    await store.close();
    server.wake();
  });
});

withMongo('MongoDB views that are swapped and left', () => {
  let database: MongoDatabase;
  let store: ViewStore;
  beforeEach(async () => {
    database = await newMongoDatabase();
    store = await openMongoViewStore(database);
    await openLive(store, [counting]);
  });
  afterEach(async () => {
    await store.close();
    await database.close();
  });

  it('show every page whole to readers meanwhile', async () => {
    expect(await put(store, 'a', 'b', 'c')).to.equal(true);
    const reader = await openMongoViewStore(database);
    await reader.open([counting]);
    let isSwapping = true;
    const reading = async (): Promise<number> => {
      let pages = 0;
      for (; isSwapping; pages++) {
        const { rows, total } = await reader.page('counting', everything);
        expect([rows.length, total]).to.deep.equal([3, 3]);
        expect(await reader.getJson('counting', 'b')).to.equal('"b"');
      }
      return pages;
    };
    const readers = [reading(), reading(), reading(), reading()];
    for (let i = 0; i < 20; i++) {
      const { generation } = await store.beginGeneration(counting);
      const writes = ['a', 'b', 'c'].map(write);
      await store.commit([{ view: 'counting', generation, from: null, to: '1', writes }]);
      expect(await store.promote('counting', generation)).to.equal(true);
      await nextTurn();
    }
    isSwapping = false;
    for (const pages of await Promise.all(readers)) expect(pages).to.be.greaterThan(0);
    await reader.close();
  });

  it('leave no collection behind that no generation has any more', async () => {
    expect(await put(store, 'a')).to.equal(true);
    const client = new MongoClient(database.url);
    await client.db().collection('view_999').insertOne({ step: 1 });
    await client.db().collection('views_of_somebody').insertOne({});
    await openLive(store, [counting]);
    const left = (await client.db().listCollections().toArray()).map(({ name }) => name);
    await client.close();
    const { generation } = await live(store);
    expect(left.filter((name) => name.startsWith('view'))).to.have.members([
      `view_${generation}`,
      'views_of_somebody',
    ]);
  });

  it('let the process end when they are closed', async () => {
    const script = fileURLToPath(new URL('./open-and-close.main.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script, database.url], { stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    expect(code).to.equal(0);
  });
});

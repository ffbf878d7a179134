/**
 * Writes and reads views in MongoDB. Arguments: what (bare, adapter) and the server's address. Answers a message
 * `{task, seconds}` with what it did in that time.
 */
import { randomUUID } from 'node:crypto';
import { type Collection, MongoClient } from 'mongodb';
import { openMongoViewStore } from '../../infra/mongodb/view-store.ts';
import type { CollectionSpec, ViewWrite } from '../../projections/view-store.ts';
import { wordBands } from '../../projections/words.ts';
import { withDatabase } from '../support/mongodb-server.ts';
import { openLive } from '../support/open-live.ts';
import { takeOrders, type Task } from './engine-work.ts';

const [what = '', server = ''] = process.argv.slice(2);
const url = withDatabase(server, `bench-${what}-${randomUUID()}`);
const IN_FLIGHT = 16;
const DOCUMENTS = 300;
const CHANGED_PER_COMMIT = 50;
const NEW_PER_COMMIT = 500;
const PAGE_ROWS = 20;
const CITIES = ['Aarhus', 'Bergen', 'Cork', 'Delft', 'Espoo', 'Faro'];
/** About as much as an agent's page says. */
const TEXT = 'words that say what an agent does and for whom and at what price '.repeat(25);

export type ViewTask = 'fill' | 'change' | 'get' | 'page';

/** The ways to views that are compared. */
interface Way {
  /** An empty place that no reader knows yet; what is written there counts, and then it is dropped. */
  readonly fill: (batch: (i: number) => readonly ViewWrite[], isOver: () => boolean) => Promise<number>;
  readonly commit: (writes: readonly ViewWrite[]) => Promise<void>;
  readonly get: (key: string) => Promise<string | undefined>;
  /** Resolves with how many match in all. */
  readonly page: (city: string) => Promise<number>;
  /** Drops all that was written. */
  readonly close: () => Promise<void>;
}

const way = what === 'bare' ? await bare() : await adapter();
await way.commit(Array.from({ length: DOCUMENTS }, (_, i) => writeOf(i, 0)));

const TASKS: Readonly<Record<ViewTask, Task>> = {
  fill: (isOver) =>
    way.fill(
      (i) => Array.from({ length: NEW_PER_COMMIT }, (_, j) => writeOf(i * NEW_PER_COMMIT + j, 0)),
      isOver,
    ),
  async change(isOver) {
    let done = 0;
    for (; !isOver(); done += CHANGED_PER_COMMIT) {
      const round = done / CHANGED_PER_COMMIT;
      await way.commit(
        Array.from({ length: CHANGED_PER_COMMIT }, (_, i) => writeOf((done + i) % DOCUMENTS, round + 1)),
      );
    }
    return done;
  },
  get: (isOver) => inFlight(isOver, (i) => way.get(keyOf(i % DOCUMENTS))),
  page: (isOver) => inFlight(isOver, (i) => way.page(CITIES[i % CITIES.length] ?? '')),
};
process.once('SIGTERM', () => void way.close().finally(() => process.exit()));
takeOrders(TASKS);

async function inFlight(isOver: () => boolean, ask: (i: number) => Promise<unknown>): Promise<number> {
  let asked = 0;
  const lane = async (): Promise<void> => {
    while (!isOver()) {
      if ((await ask(asked++)) === undefined) throw new Error('there was nothing to read');
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  return asked;
}

function keyOf(i: number): string {
  return `agent-${i}`;
}

function writeOf(i: number, revision: number): ViewWrite {
  const fields = {
    city: CITIES[i % CITIES.length] ?? '',
    score: (i * 7 + revision) % 100,
    tags: [`t${i % 9}`, 'all'],
  };
  return {
    key: keyOf(i),
    position: '1',
    document: {
      json: JSON.stringify({ i, revision, ...fields, text: TEXT }),
      fields,
      words: wordBands([`Agent ${i}`, 'what it does', TEXT]),
    },
  };
}

interface View {
  readonly _id: string;
  readonly json: string;
  readonly city: string;
  readonly score: number;
  readonly words: readonly string[];
}

/** What whoever knows the client's documentation would write, so that it may be written again after a crash. */
async function bare(): Promise<Way> {
  const client = await MongoClient.connect(url, { writeConcern: { w: 'majority', journal: true } });
  const db = client.db();
  const checkpoints = db.collection<{ _id: string; position: number }>('checkpoints');
  const views = db.collection<View>('views');
  const keys = [{ score: -1 }, { city: 1, score: -1 }, { tags: 1, score: -1 }, { words: 1 }] as const;
  await views.createIndexes(keys.map((key) => ({ key })));
  let position = 0;
  const commit = async (collection: Collection<View>, writes: readonly ViewWrite[]): Promise<void> => {
    const operations = writes.map(({ key, document }) => {
      const { json, fields, words } = document!;
      const update = { $set: { json, ...fields, words: words?.flat() ?? [] } };
      // Many updates of one document each stop FerretDB for ever.
      return { updateMany: { filter: { _id: key }, update, upsert: true } };
    });
    await collection.bulkWrite(operations, { ordered: false });
    await checkpoints.updateOne({ _id: 'views' }, { $set: { position: position++ } }, { upsert: true });
  };
  return {
    async fill(batch, isOver) {
      const collection = db.collection<View>(`views-${randomUUID()}`);
      let done = 0;
      for (let i = 0; !isOver(); i++, done += NEW_PER_COMMIT) await commit(collection, batch(i));
      await collection.drop();
      return done;
    },
    commit: (writes) => commit(views, writes),
    get: async (key) => (await views.findOne({ _id: key }, { projection: { json: 1 } }))?.json,
    async page(city) {
      const rows = views.find({ city }, { projection: { json: 1, score: 1 } }).sort({ score: -1, _id: 1 });
      const [found, total] = await Promise.all([
        rows.limit(PAGE_ROWS + 1).toArray(),
        views.countDocuments({ city }),
      ]);
      return found.length > PAGE_ROWS ? total : 0;
    },
    async close() {
      await db.dropDatabase();
      await client.close();
    },
  };
}

async function adapter(): Promise<Way> {
  const spec: CollectionSpec = {
    name: 'agents',
    version: 1,
    fields: { city: 'text', score: 'integer', tags: 'texts' },
    orders: { '-score': [{ field: 'score', direction: 'desc' }] },
    searchable: true,
  };
  const store = await openMongoViewStore({ url });
  const [live] = await openLive(store, [spec]);
  const committer = (generation: number) => {
    let from: string | null = null;
    let position = 0;
    return async (writes: readonly ViewWrite[]): Promise<void> => {
      const to = String(position++);
      const refused = await store.commit([{ view: 'agents', generation, from, to, writes }]);
      if (refused.length > 0) throw new Error('the commit was refused');
      from = to;
    };
  };
  return {
    async fill(batch, isOver) {
      const { generation } = await store.beginGeneration(spec);
      const commit = committer(generation);
      let done = 0;
      for (let i = 0; !isOver(); i++, done += NEW_PER_COMMIT) await commit(batch(i));
      await store.dropGeneration('agents', generation);
      return done;
    },
    commit: committer(live?.generation ?? 0),
    get: (key) => store.getJson('agents', key),
    async page(city) {
      const { next, total } = await store.page('agents', {
        filter: { city },
        order: '-score',
        limit: PAGE_ROWS,
      });
      return next === null ? 0 : total;
    },
    async close() {
      await store.close();
      const client = new MongoClient(url);
      await client.db().dropDatabase();
      await client.close();
    },
  };
}

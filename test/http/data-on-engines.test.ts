/** The reads of the Data API on the engines that keep their rows: the answers are those of the views in memory. */
import { join } from 'node:path';
import { expect } from 'chai';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import { openMongoViewStore } from '../../infra/mongodb/view-store.ts';
import { openSqliteViewStore } from '../../infra/sqlite/view-store.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import { type DataApi, startDataApi } from '../support/data-api.ts';
import { expectMirrorsToAgree } from '../support/data-mirror.ts';
import { newMongoDatabase, withMongo } from '../support/mongodb-server.ts';
import { tempFolder } from '../support/temp-folder.ts';

interface Opened {
  readonly views: ViewStore;
  readonly close: () => Promise<void>;
}

const tools = Array.from({ length: 40 }, (_, n) => ({
  id: `made/${n}:Tool`,
  name: `Tool ${n % 7} of ${n}`,
  category: n % 3 === 0 ? 'Finance' : 'Writing',
  description: n % 5 === 0 ? 'reads ledgers' : 'writes',
}));
const models = Array.from({ length: 12 }, (_, n) => ({
  id: `Maker-${n % 3}/m${n}:free`,
  name: `Model ${n}`,
  created: 1_700_000_000 + n,
  context_length: n % 4 === 0 ? null : 1_000 * n,
  architecture: { modality: n % 2 === 0 ? 'text->text' : 'text+image->text' },
  pricing: { prompt: n % 5 === 0 ? '-1' : `0.0000${n}` },
}));

const QUESTIONS = [
  '/api/v1/tools?limit=7',
  '/api/v1/tools?q=tool+3&limit=3',
  '/api/v1/tools?q=ledger&category=finance',
  '/api/v1/tools?status=retired',
  '/api/v1/tools?status=all&limit=11&category=WRITING',
  '/api/v1/models?limit=5',
  '/api/v1/models?modality=image&sort=-contextLength&limit=4',
  '/api/v1/models?provider=maker-1&sort=promptPrice',
  '/api/v1/models?minContextLength=3000&maxPromptPrice=0.00007&sort=-createdAt',
  '/api/v1/directory?limit=1',
  '/api/v1/directory/mcp/servers?q=one',
];

async function filled(views: ViewStore): Promise<DataApi> {
  const api = await startDataApi({ engines: { views } });
  await api.importInto('tools', tools);
  await api.importInto('tools', tools.slice(5), { isComplete: true });
  await api.importInto('models', models);
  await api.importInto('directory/mcp/servers', [{ externalId: 'io.x/one', name: 'One' }]);
  await api.importInto('directory/n8n/templates', [{ name: 'Two' }]);
  return api;
}

/** What depends on when and where rows were imported is left out. */
async function answersOf(api: DataApi): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const question of QUESTIONS)
    for (const { body } of await api.walk(question)) {
      const rows = body.data.map((row) => [row['id'] ?? row['dataset'], row['status']]);
      answers.push([question, body.meta['total'], rows]);
    }
  return answers;
}

function readsOn(name: string, open: () => Promise<Opened>): void {
  describe(`The Data API with its rows in ${name}`, () => {
    let opened: Opened;
    let api: DataApi;
    before(async () => {
      opened = await open();
      api = await filled(opened.views);
    });
    after(async () => {
      await api.close();
      await opened.close();
    });

    it('finds, filters, sorts and pages as it does in memory', async () => {
      const inMemory = await filled(memoryViewStore());
      const wanted = await answersOf(inMemory);
      await inMemory.close();
      expect(wanted.length).to.be.greaterThan(QUESTIONS.length);
      expect(await answersOf(api)).to.deep.equal(wanted);
    });

    it('reads single rows, and tells whether they have changed', async () => {
      for (const path of ['/api/v1/models/Maker-1/m1:free', '/api/v1/models/Maker-1%2Fm1%3Afree']) {
        const { status, headers } = await api.read(path);
        expect(status).to.equal(200);
        expect((await api.read(path, { 'If-None-Match': headers.get('ETag') ?? '' })).status).to.equal(304);
      }
    });

    it('answers what was asked before as it is now: its rows, what is said of their data set, and the links', async () => {
      const asked = '/api/v1/tools?q=tool&limit=3';
      const [first, again] = [await api.read(asked), await api.read(asked)];
      expect([again.text, again.headers.get('ETag')]).to.deep.equal([first.text, first.headers.get('ETag')]);
      expect(again.headers.get('Link')).to.equal(first.headers.get('Link'));
      const reordered = await api.read('/api/v1/tools?limit=3&q=tool');
      expect(reordered.text).to.equal(first.text);
      expect(reordered.headers.get('Link')).to.match(/^<\/api\/v1\/tools\?limit=3&q=tool&cursor=/);
      await api.degrade('tools');
      const degraded = await api.read(asked, { 'If-None-Match': first.headers.get('ETag') ?? '' });
      expect([degraded.status, degraded.body.data]).to.deep.equal([200, first.body.data]);
      expect(degraded.body.meta['sync']).to.deep.include({ state: 'degraded' });
      const id = first.body.data[0]?.['id'];
      const described = { ...tools.find((tool) => tool.id === id), description: 'reads and writes' };
      await api.importInto('tools', [described]);
      const { data } = (await api.read(asked)).body;
      expect(data.find((row) => row['id'] === id)).to.include({ description: 'reads and writes' });
    });

    it('keeps mirrors that have what the lists have', async function () {
      this.timeout(240_000);
      await expectMirrorsToAgree(api, 5);
    });
  });
}

readsOn('SQLite', async () => {
  const folder = await tempFolder();
  return { views: openSqliteViewStore(join(folder.path, 'views.db')), close: folder.remove };
});

withMongo('The Data API with its rows in MongoDB', () =>
  readsOn('MongoDB', async () => {
    const { url, close } = await newMongoDatabase();
    return { views: await openMongoViewStore({ url }), close };
  }),
);

/** What is particular to views in SQLite: other processes write the same file. */
import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { openSqliteViewStore } from '../../../infra/sqlite/view-store.ts';
import { type CollectionSpec, ViewsUnavailable, type ViewStore } from '../../../projections/view-store.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';
import { openLive } from '../../support/open-live.ts';

const spec: CollectionSpec = { name: 'shelf', version: 1, fields: {}, orders: { byKey: [] } };

describe('SQLite views', () => {
  let folder: TempFolder;
  let store: ViewStore;
  let generation: number;
  beforeEach(async () => {
    folder = await tempFolder();
    store = openSqliteViewStore(folder.file('views.db'));
    generation = (await openLive(store, [spec]))[0]!.generation;
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });
  const put = (from: string | null, to: string, key: string, json = '{}') =>
    store.commit([
      {
        view: 'shelf',
        generation,
        from,
        to,
        writes: [{ key, position: to, document: { json, fields: {}, words: null } }],
      },
    ]);

  it('that cannot be opened are unavailable, with the file and the reason', () => {
    const opening = () => openSqliteViewStore(folder.file('absent/../views.db/views.db'));
    expect(opening).to.throw(ViewsUnavailable, /views\.db cannot be opened/);
  });

  it('are mapped into memory from the first question on: a process that only projects does without', async function () {
    if (process.platform !== 'linux') {
      process.stdout.write('      skipped: what a process has mapped is read from /proc\n');
      return this.skip();
    }
    // Each has a page of its own.
    const json = JSON.stringify('x'.repeat(4_000));
    for (const [i, key] of ['a', 'b', 'c'].entries())
      await put(i === 0 ? null : `${i}`, `${i + 1}`, key, json);
    await store.close();
    store = openSqliteViewStore(folder.file('views.db'));
    await store.open([spec]);
    await put('3', '4', 'd');
    expect([...(await store.load('shelf', generation, ['a'])).keys()]).to.deep.equal(['a']);
    expect(await isMapped(folder.file('views.db')), 'projected').to.equal(false);
    expect(await store.getJson('shelf', 'c')).to.equal(json);
    expect(await isMapped(folder.file('views.db')), 'asked').to.equal(true);
  });

  it('wait for another writer without stopping the event loop, and are read meanwhile', async () => {
    await put(null, '1', 'a');
    const other = new Database(folder.file('views.db'));
    other.exec('BEGIN IMMEDIATE');
    let isDone = false;
    const waiting = put('1', '2', 'b').then((refused) => {
      isDone = true;
      return refused;
    });
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    expect(isDone).to.equal(false);
    expect(await store.getJson('shelf', 'a')).to.equal('{}');
    other.exec('COMMIT');
    other.close();
    expect(await waiting).to.deep.equal([]);
    expect(await store.getJson('shelf', 'b')).to.equal('{}');
  });

  it('give up on a writer that never ends, and work again afterwards', async () => {
    const other = new Database(folder.file('views.db'));
    other.exec('BEGIN IMMEDIATE');
    const error = await put(null, '1', 'a').catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(ViewsUnavailable);
    other.exec('COMMIT');
    other.close();
    expect(await put(null, '1', 'a')).to.deep.equal([]);
  });

  it('show what another process wrote from the next turn on, also where nothing was before', async () => {
    const other = openSqliteViewStore(folder.file('views.db'));
    expect(await store.getJson('shelf', 'a')).to.equal(undefined);
    let from: string | null = null;
    for (const [i, json] of ['{"by":1}', '{"by":2}', null].entries()) {
      const to = String(i + 1);
      const document = json === null ? null : { json, fields: {}, words: null };
      const writes = [{ key: 'a', position: to, document }];
      await other.commit([{ view: 'shelf', generation, from, to, writes }]);
      await nextTurn();
      expect(await store.getJson('shelf', 'a')).to.equal(json ?? undefined);
      from = to;
    }
    await other.close();
  });

  it('are never older than the checkpoint that was just told, though another process moved it', async () => {
    const other = openSqliteViewStore(folder.file('views.db'));
    const write = { key: 'a', position: '1', document: { json: '{}', fields: {}, words: null } };
    const commit = { view: 'shelf', generation, from: null, to: '1', writes: [write] };
    // All within one turn.
    expect(await store.getJson('shelf', 'a')).to.equal(undefined);
    await other.commit([commit]);
    expect((await store.status())[0]?.checkpoint).to.equal('1');
    expect(await store.getJson('shelf', 'a')).to.equal('{}');
    await other.close();
  });

  it('show what this process wrote at once', async () => {
    expect(await store.getJson('shelf', 'a')).to.equal(undefined);
    await put(null, '1', 'a', '{"first":true}');
    expect(await store.getJson('shelf', 'a')).to.equal('{"first":true}');
    await put('1', '2', 'a', '{"first":false}');
    expect(await store.getJson('shelf', 'a')).to.equal('{"first":false}');
  });

  it('give the same page again until a document is written, also one that stays where it was', async () => {
    const query = { filter: {}, order: 'byKey', limit: 9 };
    await put(null, '1', 'a', '{"first":true}');
    const page = await store.page('shelf', query);
    expect(page.rows).to.deep.equal(['{"first":true}']);
    expect(await store.page('shelf', query)).to.equal(page);
    await put('1', '2', 'a', '{"first":false}');
    expect((await store.page('shelf', query)).rows).to.deep.equal(['{"first":false}']);
    await put('2', '3', 'b');
    expect(await store.page('shelf', query)).to.deep.include({ total: 2 });
  });

  it('keep no page that was read before its commit was answered', async () => {
    const query = { filter: {}, order: 'byKey', limit: 9 };
    const committed = put(null, '1', 'a');
    await store.page('shelf', query);
    await committed;
    const { rows, total } = await store.page('shelf', query);
    expect([rows.length, total]).to.deep.equal([1, 1]);
  });

  it('count no document twice that is read between a commit and its answer, while another process writes', async () => {
    const query = { filter: {}, order: 'byKey', limit: 9 };
    const other = openSqliteViewStore(folder.file('views.db'));
    await other.open([spec]);
    const write = { key: 'b', position: '1', document: { json: '{}', fields: {}, words: null } };
    await other.commit([{ view: 'shelf', generation, from: null, to: '1', writes: [write] }]);
    const committed = put('1', '2', 'a');
    await store.page('shelf', query);
    await committed;
    expect((await store.page('shelf', query)).total).to.equal(2);
    await other.close();
  });

  it('are unavailable once closed', async () => {
    await store.close();
    for (const asked of [store.getJson('shelf', 'a'), store.status(), put(null, '1', 'a')]) {
      expect(await asked.catch((reason: unknown) => reason)).to.be.instanceOf(ViewsUnavailable);
    }
  });

  it('do not open a file of another format', () => {
    const other = new Database(folder.file('other.db'));
    other.pragma('user_version = 99');
    other.close();
    expect(() => openSqliteViewStore(folder.file('other.db'))).to.throw(/delete it/);
  });

  it('answer after another process has swapped the generation under a prepared statement', async () => {
    await put(null, '1', 'a', '"old"');
    expect(await store.getJson('shelf', 'a')).to.equal('"old"');
    const other = openSqliteViewStore(folder.file('views.db'));
    await other.open([spec]);
    for (let i = 0; i < 3; i++) {
      const next = (await other.beginGeneration(spec)).generation;
      const document = { json: `"new ${i}"`, fields: {}, words: null };
      await other.commit([
        {
          view: 'shelf',
          generation: next,
          from: null,
          to: '1',
          writes: [{ key: 'a', position: '1', document }],
        },
      ]);
      await other.promote('shelf', next);
      expect(await store.getJson('shelf', 'a')).to.equal(`"new ${i}"`);
    }
    await other.close();
  });

  it('take many processes that open a new file at once', async () => {
    const path = folder.file('fresh.db');
    const stores = Array.from({ length: 5 }, () => openSqliteViewStore(path));
    const statuses = await Promise.all(stores.map((one) => openLive(one, [spec])));
    expect(new Set(statuses.flat().map((one) => one.generation)).size).to.equal(1);
    for (const one of stores) await one.close();
  });
});

async function isMapped(path: string): Promise<boolean> {
  const maps = await readFile('/proc/self/maps', 'utf8');
  return maps.split('\n').some((line) => line.endsWith(` ${path}`));
}

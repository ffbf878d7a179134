/** Long work on the file of the views: done by a worker, begun again by whoever comes after one that was killed. */
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { openSqliteViewStore } from '../../../infra/sqlite/view-store.ts';
import { startUpkeepWorker } from '../../../infra/sqlite/view-upkeep.ts';
import { ViewsUnavailable, type ViewStore } from '../../../projections/view-store.ts';
import { openLive } from '../../support/open-live.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';
import { until } from '../../support/until.ts';
import { fillShelf, MANY, shelf } from './view-upkeep.shelf.ts';

/** Three indexes, two slices of its lists. */
const STEPS = 5;

describe('Long work on the views in SQLite', function () {
  this.timeout(120_000);
  let folder: TempFolder;
  let store: ViewStore;
  let workers: Worker[];
  /** Steps that a worker has taken. */
  let steps: number;
  /** Called after each. */
  let onStep: (worker: Worker) => void;
  beforeEach(async () => {
    folder = await tempFolder();
    [workers, steps, onStep] = [[], 0, () => {}];
    store = open();
    await openLive(store, [shelf]);
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });

  function open(): ViewStore {
    return openSqliteViewStore(folder.file('views.db'), {
      startUpkeepWorker(place) {
        const worker = startUpkeepWorker(place);
        workers.push(worker);
        worker.on('message', () => {
          steps += 1;
          onStep(worker);
        });
        return worker;
      },
    });
  }
  function inFile<T>(work: (db: Database.Database) => T): T {
    const db = new Database(folder.file('views.db'));
    try {
      return work(db);
    } finally {
      db.close();
    }
  }
  /** Of which generations there are tables. */
  function generationsWithTables(): readonly number[] {
    const names = inFile((db) =>
      db.prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all(),
    );
    return [...new Set(names.flatMap((name) => /^view_(\d+)/.exec(name)?.[1] ?? []))]
      .map(Number)
      .sort((a, b) => a - b);
  }
  async function expectWhole(generation: number): Promise<void> {
    expect(await store.promote('shelf', generation)).to.equal(true);
    expect((await store.status()).map(({ documents }) => documents)).to.deep.equal([MANY]);
    for (const query of [
      { filter: { colour: 'red' }, order: 'byPages' },
      { filter: { tags: 'old' }, order: 'byPages' },
      { filter: {}, order: 'byPages', words: ['ancient'] },
    ]) {
      const { total } = await store.page('shelf', { ...query, limit: 1 });
      expect(total, JSON.stringify(query)).to.equal(MANY / 2);
    }
  }

  it('among many documents is all done by a worker, which is let go afterwards', async () => {
    const generation = await fillShelf(store, MANY);
    await store.makeReadable('shelf', generation);
    expect(steps).to.equal(STEPS);
    await until('its thread has ended', () => workers.every(({ threadId }) => threadId === -1));
    await expectWhole(generation);
    expect(workers).to.have.length(1);
  });

  it('among few is done without one', async () => {
    const generation = await fillShelf(store, 100);
    expect(await store.promote('shelf', generation)).to.equal(true);
    await until('the tables of the other are gone', () => generationsWithTables().length === 1);
    expect(workers).to.deep.equal([]);
  });

  it('keeps those who write waiting, and none who read', async () => {
    const generation = await fillShelf(store, MANY);
    const other = new Database(folder.file('views.db'));
    const making = store.makeReadable('shelf', generation);
    await until('the worker is asked', () => workers.length === 1);
    // It waits for the file, and holds whoever else wants to write in this process.
    other.exec('BEGIN IMMEDIATE');
    const live = (await store.status()).find((one) => one.live)!;
    const at = { view: 'shelf', generation: live.generation, from: live.checkpoint, to: '9' };
    const write = { key: 'a', position: '9', document: { json: '{}', fields: {}, words: null } };
    let isCommitted = false;
    const committing = store.commit([{ ...at, writes: [write] }]).then((refused) => {
      isCommitted = true;
      return refused;
    });
    expect(await store.getJson('shelf', 'a')).to.equal(undefined);
    expect(isCommitted).to.equal(false);
    other.exec('COMMIT');
    other.close();
    expect(await committing).to.deep.equal([]);
    expect(await store.getJson('shelf', 'a')).to.equal('{}');
    await making;
  });

  it('whose worker dies is told as unavailable, and goes on where it stood when asked again', async () => {
    const generation = await fillShelf(store, MANY);
    onStep = (worker) => {
      if (steps !== 2) return;
      const post = worker.postMessage.bind(worker);
      // In the midst of the next step: of one that dies between two, nothing is lost, and another goes on.
      worker.postMessage = (...message) => {
        post(...message);
        void worker.terminate();
      };
    };
    expect(await rejectionOf(store.makeReadable('shelf', generation))).to.be.instanceOf(ViewsUnavailable);
    expect(steps).to.equal(2);
    await expectWhole(generation);
    expect(steps).to.be.at.least(STEPS);
  });

  it('of a process that was killed in the midst of it is ended by the next', async () => {
    const generation = await fillShelf(store, MANY);
    await store.close();
    for (const after of [0, 2]) {
      const script = fileURLToPath(new URL('./view-upkeep.main.ts', import.meta.url));
      const args = [folder.file('views.db'), String(generation), String(after)];
      const child = fork(script, args, { execArgv: ['--import', 'tsx'] });
      await once(child, 'message');
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    store = open();
    await store.open([shelf]);
    await expectWhole(generation);
  });

  it('leaves the process its locks: a program that ends beside it takes no write-ahead log away', async () => {
    const generation = await fillShelf(store, MANY);
    await store.makeReadable('shelf', generation);
    const path = folder.file('views.db');
    const look = `const db = require('better-sqlite3')(${JSON.stringify(path)}); db.prepare('SELECT * FROM generations').all(); db.close();`;
    await promisify(execFile)(process.execPath, ['-e', look]);
    expect(existsSync(`${path}-wal`)).to.equal(true);
    await expectWhole(generation);
  });

  it('removes the tables of generations that are gone, also those that a killed process left', async () => {
    const [first] = await store.status();
    const generation = await fillShelf(store, MANY);
    await store.promote('shelf', generation);
    await until(
      'the tables of the first are gone',
      () => !generationsWithTables().includes(first!.generation),
    );
    const next = await fillShelf(store, MANY);
    inFile((db) => db.prepare('DELETE FROM generations WHERE generation = ?').run(next));
    expect(generationsWithTables()).to.deep.equal([generation, next]);
    await store.close();
    [store, steps] = [open(), 0];
    await store.open([shelf]);
    // The tables of the texts, the words and the documents; nobody had made the indexes.
    await until('they are gone', () => steps === 3);
    expect(generationsWithTables()).to.deep.equal([generation]);
    await expectWhole(generation);
  });
});

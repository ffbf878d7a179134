/** The write-ahead log of views.db is copied back by a thread, wherever the log of the market is. */
import { statSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { viewsFileIn } from '../../infra/sqlite/data-folder.ts';
import { WAL_LIMIT_BYTES } from '../../infra/sqlite/log-file.ts';
import type { CollectionSpec, ViewWrite } from '../../projections/view-store.ts';
import { openEngines } from '../../src/composition/engines.ts';
import { createLog } from '../../src/logging/log.ts';
import { readConfig } from '../../src/settings/config.ts';
import { type EventStoreDouble, startEventStoreDouble } from '../support/eventstoredb/double.ts';
import { openLive } from '../support/open-live.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const SPEC: CollectionSpec = { name: 'things', version: 1, fields: {}, orders: { byKey: [] } };
/** Less together than what SQLite would copy back by itself. */
const WRITES = 20;
const WRITTEN_BYTES = WAL_LIMIT_BYTES / 10;

const writeOf = (position: string): ViewWrite => ({
  key: position,
  position,
  document: { fields: {}, words: null, json: JSON.stringify('x'.repeat(WRITTEN_BYTES)) },
});

describe('The write-ahead log of views.db', function () {
  this.timeout(120_000);
  let folder: TempFolder;
  let server: EventStoreDouble;
  beforeEach(async () => {
    folder = await tempFolder();
    server = await startEventStoreDouble();
  });
  afterEach(async () => {
    await server.stop();
    await folder.remove();
  });

  for (const [place, settings] of [
    ['beside it', () => ({})],
    ['in EventStoreDB', () => ({ EVENTSTORE_URL: server.url })],
  ] as const)
    it(`is copied back by a thread when it has grown, with the log ${place}`, async () => {
      const config = readConfig({ DATA_DIR: folder.path, SIGNING_SECRET: 's'.repeat(64), ...settings() });
      const { views, close } = await openEngines(config, createLog('silent'));
      const [live] = await openLive(views, [SPEC]);
      if (live === undefined) throw new Error('no generation');
      const started: Worker[] = [];
      const note = (worker: Worker): void => void started.push(worker);
      process.on('worker', note);
      let from: string | null = null;
      for (let written = 1; written <= WRITES; written += 1) {
        const to = String(written).padStart(3, '0');
        const { view, generation } = live;
        expect(await views.commit([{ view, generation, from, to, writes: [writeOf(to)] }])).to.deep.equal([]);
        from = to;
      }
      const sizeOfFile = (): number => statSync(viewsFileIn(folder.path)).size;
      await until('it is copied back', () => sizeOfFile() > WAL_LIMIT_BYTES);
      process.off('worker', note);
      // With the log beside it that is started by the log's worker, and is not seen here.
      expect(started.length > 0).to.equal(config.eventStore !== undefined);
      await close();
    });
});

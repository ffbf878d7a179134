/** Searches that wait for one another: what becomes of one that had no turn in its time, and of one whose caller has gone. */
import { expect } from 'chai';
import { startPageReaderWorker } from '../../infra/sqlite/page-reader.ts';
import { openSqliteViewStore } from '../../infra/sqlite/view-store.ts';
import type { Asking, ViewStore } from '../../projections/view-store.ts';
import { type DataApi, startDataApi } from '../support/data-api.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** With so many rows a search for all these words may take long, as far as anybody knows beforehand. */
const ROWS = 500;
const WORDS = Array.from({ length: 16 }, (_, i) => `word${String.fromCharCode(97 + i)}`);
/** In place of the four and a half seconds of the service. */
const SHORT_MS = 1_000;
const LONG_MS = 60_000;

describe('A search that waits for another', function () {
  this.timeout(60_000);
  let folder: TempFolder;
  let api: DataApi;
  /** Resolves when the worker that finds pages may be asked. */
  let gate: Promise<void>;
  let asked: number;
  let waiting: Asking[];
  async function start(logMs: number): Promise<void> {
    folder = await tempFolder();
    gate = Promise.resolve();
    api = await startDataApi({ engines: { views: watched(folder) }, services: { logMs } });
    const rows = Array.from({ length: ROWS }, (_, i) => ({
      name: `Tool ${i}`,
      description: WORDS.join(' '),
    }));
    await api.importInto('tools', rows);
    asked = 0;
    waiting = [];
  }
  afterEach(async () => {
    await api.close();
    await folder.remove();
  });

  function watched({ file }: TempFolder): ViewStore {
    const store = openSqliteViewStore(file('views.db'), {
      startWorker(path) {
        const worker = startPageReaderWorker(path);
        worker.on('message', () => (asked += 1));
        const send = worker.postMessage.bind(worker);
        worker.postMessage = (message) => void gate.then(() => send(message));
        return worker;
      },
    });
    return {
      ...store,
      page(view, query, asking) {
        if (query.words !== undefined && asking !== undefined) waiting.push(asking);
        return store.page(view, query, asking);
      },
    };
  }

  /** Which changes with `limit`, so that no two searches are the same one. */
  const searched = (limit: number, key: string) =>
    api.get(`/api/v1/tools?q=${WORDS.join('+')}&limit=${limit}`, { key });

  /** The first one goes to the worker, and comes to it when the work is done. */
  async function behind(key: string, work: () => Promise<void>): Promise<void> {
    let goOn = (): void => {};
    gate = new Promise((resolve) => (goOn = resolve));
    const first = searched(1, key);
    await until('the first search has come', () => waiting.length === 1);
    try {
      await work();
    } finally {
      goOn();
    }
    expect((await first).status).to.equal(200);
  }

  it('is answered 503 when its time is over, and never begun', async () => {
    await start(SHORT_MS);
    const { key } = await api.customer('enterprise');
    await behind(key, async () => {
      const late = await searched(2, key);
      expect([late.status, late.body.error.code]).to.deep.equal([503, 'unavailable']);
      expect(late.headers.get('Retry-After')).to.equal('1');
    });
    expect((await searched(3, key)).status).to.equal(200);
    expect(asked).to.equal(2);
  });

  it('is not begun once its caller has gone', async () => {
    await start(LONG_MS);
    const { key } = await api.customer('enterprise');
    await behind(key, async () => {
      const caller = new AbortController();
      const headers = { Authorization: `Bearer ${key}` };
      const address = `${api.url}/api/v1/tools?q=${WORDS.join('+')}&limit=5`;
      const left = fetch(address, { headers, signal: caller.signal }).catch(() => null);
      await until('it waits', () => waiting.length === 2);
      caller.abort();
      await left;
      await until('it is known that it has gone', () => waiting[1]?.signal.aborted === true);
    });
    expect((await searched(6, key)).status).to.equal(200);
    expect(asked).to.equal(2);
  });
});

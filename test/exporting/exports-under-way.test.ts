/** Exports beside imports that never end, on every engine of the views. */
import { expect } from 'chai';
import { createFolderScratch } from '../../infra/folder/scratch.ts';
import { openMongoViewStore } from '../../infra/mongodb/view-store.ts';
import { openSqliteViewStore } from '../../infra/sqlite/view-store.ts';
import { decodeEvent } from '../../events/catalog.ts';
import { type DataSetDocument, dataSets } from '../../projections/data-sets.ts';
import { ViewBehind, type ViewSnapshot, type ViewStore } from '../../projections/view-store.ts';
import { createExports, type Exports } from '../../src/exporting/exports.ts';
import type { WalkedSources } from '../../src/exporting/walk-rows.ts';
import { readDataSet } from '../../src/importing/known-rows.ts';
import { readView } from '../../src/operations/read-view.ts';
import type { Scratch } from '../../src/ports/scratch.ts';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import { CAUSE, importAll, type Row, tool } from '../importing/importing.ts';
import { type MemoryMarket, openMemoryMarket } from '../support/memory-market.ts';
import { newMongoDatabase, withMongo } from '../support/mongodb-server.ts';
import { tempFolder, type TempFolder } from '../support/temp-folder.ts';
import { bytesOf, linesOf } from './exported-file.ts';

const ROWS = 800;
/** In rows of the first import. */
const BEFORE = '"firstSeenAt":"2026-11-01T09:01:00.000Z"';

interface Opened {
  readonly views: ViewStore;
  readonly close: () => Promise<void>;
}

function exportsUnderWay(open: (folder: TempFolder) => Promise<Opened>): void {
  let folder: TempFolder;
  let scratch: Scratch;
  let market: MemoryMarket;
  let opened: Opened;
  let views: ViewStore;
  const made: Exports[] = [];
  let minutes = 0;
  beforeEach(async () => {
    minutes = 0;
    folder = await tempFolder();
    scratch = createFolderScratch(folder.file('scratch'));
    opened = await open(folder);
    ({ views } = opened);
    market = await openMemoryMarket({ views });
  });
  afterEach(async () => {
    await Promise.all(made.splice(0).map((exports) => exports.close()));
    await market.close();
    await opened.close();
    await folder.remove();
  });

  /** Each import at a time of its own. */
  async function put(rows: readonly Row[], isComplete = false): Promise<void> {
    minutes += 1;
    const at = new Date(Date.parse(CAUSE.at) + minutes * 60_000).toISOString();
    await importAll(market.services, rows, { isComplete, mayRetireMany: true, cause: { ...CAUSE, at } });
  }
  async function currentSet(): Promise<DataSetDocument> {
    await market.services.projector.caughtUp();
    const set = await readView(views, dataSets, 'tools');
    if (set === undefined) throw new Error('nothing was imported');
    return set;
  }
  function exportsOn(seen: WalkedSources['views'], ownScratch = scratch): Exports {
    const history = readDataSet.bind(null, market.services.events);
    const exports = createExports({ views: seen, scratch: ownScratch, history, now: Date.now });
    made.push(exports);
    return exports;
  }

  async function snapshotOf(view: string): Promise<ViewSnapshot> {
    const taken = await views.snapshot?.(view);
    if (taken === undefined) throw new Error('the store has no snapshots');
    return taken;
  }

  /** The views, with something done before each page that is read, by which way ever. */
  function disturbed(disturb: (page: number) => Promise<unknown>): WalkedSources['views'] {
    let page = 0;
    return {
      status: () => views.status(),
      // As a projector that is behind leaves it: without the rows that began meanwhile.
      async load(view, generation, keys) {
        const loaded = await views.load(view, generation, keys);
        return new Map([...loaded].filter(([, json]) => json.includes(BEFORE)));
      },
      async page(view, query) {
        await disturb((page += 1));
        return views.page(view, query);
      },
      ...(views.snapshot !== undefined && {
        async snapshot(view) {
          const taken = await snapshotOf(view);
          return {
            generation: taken.generation,
            close: () => taken.close(),
            async page(query) {
              await disturb((page += 1));
              return taken.page(query);
            },
          };
        },
      }),
    };
  }

  /** What the log has of the data set up to a position: of each listed row its round, and when it was first listed. */
  async function listedAt(position: string | null): Promise<Map<string, string>> {
    const first = new Map<string, string>();
    const listed = new Map<string, string>();
    for await (const recorded of readDataSet(market.services.events, 'tools')) {
      if (position === null || recorded.position > position) break;
      const event = decodeEvent(recorded);
      if (event.type === 'RowsRetired') event.data.ids.forEach((id) => listed.delete(id));
      if (event.type !== 'RowsListed' && event.type !== 'RowsRevised' && event.type !== 'RowsReturned')
        continue;
      for (const { id, fields } of event.data.rows) {
        if (!first.has(id)) first.set(id, event.at);
        listed.set(id, `${JSON.stringify(fields['round'])} since ${first.get(id)}`);
      }
    }
    return listed;
  }

  it('have the rows of one position, each once, in the order of their last changes', async () => {
    const rows = Array.from({ length: ROWS }, (_, n) =>
      tool(`tool-${n}`, { round: 1, more: 'x'.repeat(300) }),
    );
    await put(rows);
    await put(rows.slice(0, -1), true);
    const set = await currentSet();
    let pages = 0;
    const seen = disturbed(async (page) => {
      pages = page;
      // Rows that were read, some that were not, and one that is new and then changes.
      for (const round of [2 * page, 2 * page + 1])
        await put([3, ROWS / 2, ROWS - 3, ROWS + page].map((n) => tool(`tool-${n}`, { round })));
      if (page === 2) await put([...rows.slice(5, 20), ...rows.slice(40)], true);
      if (page === 3) await put(rows.slice(0, 10));
      // Sometimes the views have it, sometimes not yet.
      if (page % 2 === 1) await market.services.projector.caughtUp();
    });
    const exported = await exportsOn(seen).current(set, 'jsonl');
    const { position } = exported.manifest;
    const lines = linesOf(await bytesOf(exported));

    expect(pages, 'imports meanwhile').to.be.greaterThan(2);
    expect(lines.map((row) => `${row['id']}: ${row['round']} since ${row['firstSeenAt']}`)).to.have.members(
      [...(await listedAt(position))].map(([id, round]) => `${id}: ${round}`),
    );
    const positions = lines.map((row) => row['position'] ?? '');
    expect(positions).to.deep.equal(positions.toSorted());
    if (position === set.position) return;
    // Nothing was imported since: whoever makes it now has the very same bytes.
    const now = await currentSet();
    expect(position).to.equal(now.position);
    const { manifest } = await exportsOn(views).current(now, 'jsonl');
    expect(manifest.sha256).to.equal(exported.manifest.sha256);
  }).timeout(240_000);

  it('are refused for now where the view is built anew each time', async () => {
    await put([tool('one', {})]);
    const set = await currentSet();
    let moved = 0;
    const failure = await exportsOn({
      ...disturbed(async () => {}),
      // Another generation each time it is asked for.
      async status() {
        const found = await views.status();
        return found.map((one) => ({ ...one, generation: one.generation + (moved += 1) }));
      },
    })
      .current(set, 'csv')
      .catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(ViewBehind);
  });

  it('let go of what they read, also where their file cannot be written', async () => {
    await put([tool('one', {})]);
    const set = await currentSet();
    let open = 0;
    const watched: WalkedSources['views'] = {
      ...disturbed(async () => {}),
      ...(views.snapshot !== undefined && {
        async snapshot(view) {
          const taken = await snapshotOf(view);
          open += 1;
          return {
            generation: taken.generation,
            page: (query) => taken.page(query),
            close: () => ((open -= 1), taken.close()),
          };
        },
      }),
    };
    const full = new Error('no room');
    const ownScratch: Scratch = {
      async create() {
        const file = await scratch.create();
        open += 1;
        return { ...file, append: () => Promise.reject(full), close: () => ((open -= 1), file.close()) };
      },
    };
    const failure = await exportsOn(watched, ownScratch)
      .current(set, 'csv')
      .catch((error: unknown) => error);

    expect(failure).to.equal(full);
    expect(open).to.equal(0);
  });
}

describe('Exports while imports go on all the time', () => {
  describe('with views in SQLite', () => {
    exportsUnderWay(async (folder) => ({
      views: openSqliteViewStore(folder.file('views.db')),
      close: async () => {},
    }));
  });
  describe('with views in memory, which has no snapshots', () => {
    exportsUnderWay(async () => ({ views: memoryViewStore(), close: async () => {} }));
  });
});

withMongo('Exports while imports go on all the time, with views in MongoDB, which has no snapshots', () =>
  exportsUnderWay(async () => {
    const { url, close } = await newMongoDatabase();
    return { views: await openMongoViewStore({ url }), close };
  }),
);

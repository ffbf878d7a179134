/** Exports beside imports that never end, on an engine with snapshots. */
import { expect } from 'chai';
import { openSqliteViewStore } from '../../infra/sqlite/view-store.ts';
import { createFolderScratch } from '../../infra/folder/scratch.ts';
import { type DataSetDocument, dataSets } from '../../projections/data-sets.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import { createExports, type Exports } from '../../src/exporting/exports.ts';
import type { WalkedViews } from '../../src/exporting/walk-rows.ts';
import { readView } from '../../src/operations/read-view.ts';
import { importAll, type Row, tool } from '../importing/importing.ts';
import { type MemoryMarket, openMemoryMarket } from '../support/memory-market.ts';
import { tempFolder, type TempFolder } from '../support/temp-folder.ts';

const ROWS = 800;

describe('Exports while imports go on all the time', () => {
  let folder: TempFolder;
  let market: MemoryMarket;
  let views: ViewStore;
  let exports: Exports | undefined;
  beforeEach(async () => {
    folder = await tempFolder();
    views = openSqliteViewStore(folder.file('views.db'));
    market = await openMemoryMarket({ views });
  });
  afterEach(async () => {
    await exports?.close();
    await market.close();
    await folder.remove();
  });

  async function put(rows: readonly Row[]): Promise<DataSetDocument> {
    await importAll(market.services, rows);
    await market.services.projector.caughtUp();
    const set = await readView(views, dataSets, 'tools');
    if (set === undefined) throw new Error('nothing was imported');
    return set;
  }
  const round = (number: number): Row[] =>
    Array.from({ length: ROWS }, (_, n) => tool(`tool-${n}`, { round: number, more: 'x'.repeat(1_000) }));

  /** The views, with an import before each page. */
  function importing(): WalkedViews & { readonly pages: () => number } {
    let pages = 0;
    const beforePage = async (): Promise<void> => {
      pages += 1;
      // Some row that was read, some that was not, and a new one.
      await put([1, ROWS - 1, ROWS + pages].map((n) => tool(`tool-${n}`, { round: pages + 1 })));
    };
    return {
      pages: () => pages,
      status: () => views.status(),
      async page(view, query) {
        await beforePage();
        return views.page(view, query);
      },
      async snapshot(view) {
        const snapshot = await views.snapshot?.(view);
        if (snapshot === undefined) throw new Error('the store has no snapshots');
        return {
          generation: snapshot.generation,
          close: () => snapshot.close(),
          async page(query) {
            await beforePage();
            return snapshot.page(query);
          },
        };
      },
    };
  }

  it('are what one position had', async () => {
    const set = await put(round(1));
    const disturbed = importing();
    exports = createExports({
      views: disturbed,
      scratch: createFolderScratch(folder.file('scratch')),
      now: Date.now,
    });
    const { manifest, read } = await exports.current(set, 'jsonl');
    const chunks: Uint8Array[] = [];
    for await (const chunk of read(0, manifest.bytes - 1)) chunks.push(chunk);
    const rows: Record<string, unknown>[] = Buffer.concat(chunks)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

    expect(disturbed.pages(), 'imports meanwhile').to.be.greaterThan(2);
    expect(manifest.position).to.equal(set.position);
    expect(rows).to.have.lengthOf(ROWS);
    expect(new Set(rows.map((row) => row['round']))).to.deep.equal(new Set([1]));
    // The views themselves have gone on.
    expect((await views.page('tools', { filter: {}, order: 'position', limit: 1 })).total).to.be.greaterThan(
      ROWS,
    );
  });

  it('let go of what they read, also where their file cannot be written', async () => {
    const set = await put(round(1));
    let isClosed = false;
    const watched: WalkedViews = {
      ...views,
      async snapshot(view) {
        const snapshot = await views.snapshot?.(view);
        if (snapshot === undefined) throw new Error('the store has no snapshots');
        return {
          generation: snapshot.generation,
          page: (query) => snapshot.page(query),
          async close() {
            isClosed = true;
            await snapshot.close();
          },
        };
      },
    };
    const full = new Error('no room');
    const scratch = createFolderScratch(folder.file('scratch'));
    exports = createExports({
      views: watched,
      scratch: { create: async () => ({ ...(await scratch.create()), append: () => Promise.reject(full) }) },
      now: Date.now,
    });
    const failure = await exports.current(set, 'csv').catch((error: unknown) => error);

    expect(failure).to.equal(full);
    expect(isClosed).to.equal(true);
  });
});

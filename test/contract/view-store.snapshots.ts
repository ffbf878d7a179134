/** Snapshots, where the engine has them. */
import { expect } from 'chai';
import { type Keyset, ViewBeingBuilt, type ViewSnapshot } from '../../projections/view-store.ts';
import { put, rejects, remove, type Shelf, shelf } from './view-store.shelf.ts';

const BOOKS = 30;

export function keepsSnapshots({ store, opened, fill }: Shelf): void {
  describe('snapshots', () => {
    beforeEach(function () {
      if (store().snapshot === undefined) this.skip();
    });

    async function snapshotNow(): Promise<ViewSnapshot> {
      const snapshot = await store().snapshot?.('shelf');
      if (snapshot === undefined) throw new Error('there are no snapshots');
      return snapshot;
    }
    const named = (i: number): string => `book ${String(i).padStart(2, '0')}`;

    /** All rows, with something done before each page. */
    async function walk(snapshot: ViewSnapshot, meanwhile: (page: number) => Promise<unknown>) {
      const rows: string[] = [];
      let after: Keyset | null | undefined;
      for (let page = 1; after !== null; page += 1) {
        await meanwhile(page);
        const query = { filter: {}, order: 'byPages', limit: 7, ...(after === undefined ? {} : { after }) };
        const found = await snapshot.page(query);
        expect(found.total).to.equal(BOOKS);
        rows.push(...found.rows);
        after = found.next;
      }
      return rows.map((json) => JSON.parse(json));
    }

    it('show nothing of what is written while they are read', async () => {
      const { generation } = await fill(Array.from({ length: BOOKS }, (_, i) => put(named(i), { pages: i })));
      const snapshot = await snapshotNow();
      expect(snapshot.generation).to.equal(generation);
      const rows = await walk(snapshot, (page) =>
        fill([
          put(named(page), { pages: 99 }),
          remove(named(BOOKS - page)),
          put(`new ${page}`, { pages: page }),
        ]),
      );
      await snapshot.close();
      expect(rows.map(({ key, pages }) => [key, pages])).to.deep.equal(
        Array.from({ length: BOOKS }, (_, i) => [named(BOOKS - 1 - i), BOOKS - 1 - i]),
      );
      const now = await store().page('shelf', { filter: {}, order: 'byPages', limit: 1 });
      expect(now.rows[0]).to.include('99');
    });

    it('are of the generation that was live, also when another has taken its place', async () => {
      await fill(Array.from({ length: BOOKS }, (_, i) => put(named(i), { pages: i })));
      const snapshot = await snapshotNow();
      const next = await store().beginGeneration({ ...shelf, version: 2 });
      const rows = await walk(snapshot, () => store().promote('shelf', next.generation));
      await snapshot.close();
      expect(rows).to.have.lengthOf(BOOKS);
      const later = await snapshotNow();
      expect(later.generation).to.equal(next.generation);
      await later.close();
    });

    it('are refused as pages are', async () => {
      await store().open([shelf]);
      await rejects(snapshotNow(), ViewBeingBuilt, 'not built');
      await rejects(Promise.resolve(store().snapshot?.('nothing')), RangeError, 'no view');
      await opened();
      const snapshot = await snapshotNow();
      await rejects(snapshot.page({ filter: {}, order: 'nothing', limit: 1 }), RangeError, 'no order');
      await snapshot.close();
    });
  });
}

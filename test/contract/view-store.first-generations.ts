/** First generations: a view is unavailable until one is made live, and an empty one is made live by one process only. */
import { expect } from 'chai';
import { ViewBeingBuilt, ViewsUnavailable } from '../../projections/view-store.ts';
import { put, rejects, type Shelf, shelf } from './view-store.shelf.ts';

export function servesWhatIsLive({ store, connect, opened, fill, keysOf }: Shelf): void {
  describe('first generations', () => {
    it('are not made by opening: until there is one, readers are told to come again', async () => {
      expect(await store().open([shelf])).to.deep.equal([]);
      await rejects(store().getJson('shelf', 'x'), ViewBeingBuilt);
      await rejects(keysOf({}), ViewBeingBuilt);
      await rejects(store().getJson('nowhere', 'x'), RangeError);
      expect(new ViewBeingBuilt('shelf')).to.be.instanceOf(ViewsUnavailable);
    });

    it('are served once they are promoted, and not while they are filled, as other connections see too', async () => {
      const reader = await connect();
      for (const one of [store(), reader]) await one.open([shelf]);
      const { generation } = await store().beginGeneration(shelf);
      const commit = { view: 'shelf', generation, from: null, to: '7', writes: [put('x', { title: 'new' })] };
      expect(await store().commit([commit])).to.deep.equal([]);
      for (const one of [store(), reader]) {
        await rejects(one.getJson('shelf', 'x'), ViewBeingBuilt);
        await rejects(keysOf({}, one), ViewBeingBuilt);
      }
      // Two projectors that have filled it together both come to its end.
      for (const one of [store(), reader]) expect(await one.promote('shelf', generation)).to.equal(true);
      for (const one of [store(), reader]) {
        expect(await one.getJson('shelf', 'x')).to.contain('new');
        expect(await keysOf({ words: ['new'] }, one)).to.deep.equal(['x']);
      }
      expect(await opened()).to.deep.include({ generation, live: true, documents: 1, checkpoint: '7' });
      await reader.close();
    });

    it('are live at once where that is asked for, and one of several stays', async () => {
      const other = await connect();
      const [a, b] = await Promise.all([opened(), opened(shelf, other)]);
      expect(a).to.deep.equal(b);
      expect(a).to.deep.include({
        view: 'shelf',
        version: 1,
        live: true,
        documents: 0,
        checkpoint: null,
        stuck: null,
      });
      expect(await keysOf({}, other)).to.deep.equal([]);
      expect(await store().status()).to.deep.equal([a]);
      await other.close();
    });

    it('leave a live one alone', async () => {
      const live = await fill([put('x')]);
      await store().beginLive([
        { ...shelf, version: 2 },
        { ...shelf, name: 'diary' },
      ]);
      const [first, second] = await store().status();
      expect(first).to.deep.equal(live);
      expect(second).to.deep.include({ view: 'diary', live: true, checkpoint: null });
      expect(await keysOf({})).to.deep.equal(['x']);
    });

    it('record that they stand still like any other', async () => {
      await store().open([shelf]);
      const { generation } = await store().beginGeneration(shelf);
      const stuck = { position: '5', eventId: 'evt_1', error: 'no', at: '2026-11-01T00:00:00.000Z' };
      await store().setStuck('shelf', generation, stuck);
      expect(await store().status()).to.deep.include.members([
        { view: 'shelf', version: 1, generation, live: false, documents: 0, checkpoint: null, stuck },
      ]);
    });
  });
}

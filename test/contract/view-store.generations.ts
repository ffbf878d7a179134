/** Generations: built beside the one that is served, swapped in and dropped, with nothing lost meanwhile. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { type CollectionSpec, ViewsUnavailable, type ViewWrite } from '../../projections/view-store.ts';
import { put, rejects, remove, type Shelf, shelf } from './view-store.shelf.ts';

export function buildsInGenerations({ store, connect, opened, fill, keysOf }: Shelf): void {
  describe('generations', () => {
    it('must bear another version when fields or orders change', async () => {
      await opened();
      await store().beginGeneration({ ...shelf, name: 'diary' });
      const changed = { ...shelf, fields: { ...shelf.fields, colour: 'text' as const } };
      for (const name of ['shelf', 'diary']) {
        await rejects(store().open([{ ...changed, name }]), ViewsUnavailable, name);
        expect(await store().open([{ ...changed, name, version: 2 }])).to.have.length(2);
      }
    });

    it('are built beside the live one and swapped in, as other connections see at once', async () => {
      const live = await fill([put('old')]);
      const other = await connect();
      await other.open([shelf]);
      expect(await other.getJson('shelf', 'old')).not.to.equal(undefined);
      const next = await store().beginGeneration({ ...shelf, version: 2 });
      expect(next).to.deep.include({ view: 'shelf', version: 2, live: false, checkpoint: null });
      await store().commit([
        { view: 'shelf', generation: next.generation, from: null, to: '7', writes: [put('new')] },
      ]);
      expect(await store().getJson('shelf', 'new')).to.equal(undefined);
      expect(await store().promote('shelf', next.generation)).to.equal(true);
      for (const reader of [store(), other]) {
        expect(await reader.getJson('shelf', 'new')).not.to.equal(undefined);
        expect(await reader.getJson('shelf', 'old')).to.equal(undefined);
        const page = await reader.page('shelf', { filter: {}, order: 'byPages', limit: 10 });
        expect(page.total).to.equal(1);
      }
      expect((await store().load('shelf', live.generation, ['old'])).size).to.equal(0);
      expect(await store().status()).to.deep.equal([{ ...next, live: true, documents: 1, checkpoint: '7' }]);
      await other.close();
    });

    it('are made readable while they are still written, with nothing lost or left over', async () => {
      const live = await fill([]);
      const { generation } = await store().beginGeneration(shelf);
      const commit = (from: string | null, to: string, writes: readonly ViewWrite[], by = store()) =>
        by.commit([{ view: 'shelf', generation, from, to, writes }]);
      const named = (i: number): string => `book ${String(i).padStart(4, '0')}`;
      const books = Array.from({ length: 1_200 }, (_, i) =>
        put(named(i), { kind: 'old', pages: i, tags: ['old'], title: 'ancient' }),
      );
      await commit(null, '1', books);
      const other = await connect();
      await other.open([shelf]);
      const change = (i: number) => put(named(i), { kind: 'new', pages: i, tags: ['new'], title: 'modern' });
      await commit('1', '2', [change(3), remove(named(4)), remove(named(1_198)), put('extra', {})], other);
      let isReadable = false;
      const done = store()
        .makeReadable('shelf', generation)
        .then(() => (isReadable = true));
      let at = 2;
      // Near the beginning and near the end, before and after they are listed.
      const changedAt = (step: number): readonly number[] => [20 + (step % 40), 1_150 + (step % 40)];
      for (; !isReadable; at++) {
        await commit(String(at), String(at + 1), changedAt(at).map(change), other);
        await nextTurn();
      }
      await done;
      await store().makeReadable('shelf', generation);
      const changed = new Set([named(3)]);
      for (let i = 2; i < at; i++) for (const book of changedAt(i)) changed.add(named(book));
      expect(await store().promote('shelf', generation)).to.equal(true);
      expect(await opened()).to.deep.include({ generation, documents: 1_199, checkpoint: String(at) });
      expect(live.generation).not.to.equal(generation);
      for (const query of [{ filter: { kind: 'new' } }, { filter: { tags: 'new' } }, { words: ['modern'] }]) {
        expect(await keysOf(query)).to.have.members([...changed]);
      }
      for (const query of [
        { filter: { kind: 'old' } },
        { filter: { tags: 'old' } },
        { words: ['ancient'] },
      ]) {
        const { total } = await store().page('shelf', { filter: {}, order: 'byPages', limit: 1, ...query });
        expect(total).to.equal(1_198 - changed.size);
      }
      await other.close();
    });

    it('are promoted once: again changes nothing, and one that is gone cannot be', async () => {
      const live = await opened();
      expect(await store().promote('shelf', live.generation)).to.equal(true);
      expect(await store().promote('shelf', live.generation + 100)).to.equal(false);
      expect(await store().promote('other', live.generation)).to.equal(false);
      expect(await store().status()).to.deep.equal([live]);
    });

    it('are dropped unless live, and their numbers never used again', async () => {
      const live = await opened();
      await store().dropGeneration('shelf', live.generation);
      const first = await store().beginGeneration(shelf);
      await store().dropGeneration('shelf', first.generation);
      const second = await store().beginGeneration(shelf);
      expect(second.generation).not.to.equal(first.generation);
      expect((await store().status()).map((one) => one.generation)).to.have.members([
        live.generation,
        second.generation,
      ]);
    });

    it('record that they stand still, and that they go on', async () => {
      const { generation } = await opened();
      const stuck = {
        position: '5',
        eventId: 'evt_1',
        error: 'no such thing',
        at: '2026-11-01T00:00:00.000Z',
      };
      await store().setStuck('shelf', generation, stuck);
      expect((await opened()).stuck).to.deep.equal(stuck);
      await store().setStuck('shelf', generation, null);
      expect((await opened()).stuck).to.equal(null);
    });

    it('leave a question that only the newer spec knows unanswered until that one is built', async () => {
      await fill([put('x')]);
      const newer: CollectionSpec = {
        ...shelf,
        version: 2,
        fields: { ...shelf.fields, colour: 'text' },
        orders: { ...shelf.orders, byColour: [{ field: 'colour', direction: 'asc' }] },
      };
      await store().open([newer]);
      expect(await keysOf({})).to.deep.equal(['x']);
      await rejects(keysOf({ order: 'byColour' }), ViewsUnavailable);
      await rejects(keysOf({ filter: { colour: 'red' } }), ViewsUnavailable);
      await rejects(keysOf({ order: 'bySmell' }), RangeError);
    });
  });

  it('remembers what was skipped, and who said so first', async () => {
    const skipped = {
      view: 'shelf',
      eventId: 'evt_1',
      by: 'cli',
      reason: 'broken',
      at: '2026-11-01T00:00:00.000Z',
    };
    await store().skip(skipped);
    await store().skip({ ...skipped, by: 'somebody else' });
    const other = await connect();
    expect(await other.skipped()).to.deep.equal([skipped]);
    await other.close();
  });
}

/** Pages: filtered, sorted and counted as the spec declares it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { RELEVANCE } from '../../projections/page-query.ts';
import type { Keyset, PageQuery } from '../../projections/view-store.ts';
import { wordBands } from '../../projections/words.ts';
import { pagesLikeTheModel } from './view-store.model.ts';
import { put, rejects, remove, type Shelf, shelf } from './view-store.shelf.ts';
import { walksEveryRowOnce } from './view-store.walk.ts';

export function pagesByFieldsAndOrders({ store, connect, opened, fill, keysOf }: Shelf, runs: number): void {
  describe('pages', () => {
    it('filter by equality, by one of several texts and by range', async () => {
      await fill([
        put('a', { kind: 'novel', pages: 100, tags: ['long', 'sad'] }),
        put('b', { kind: 'novel', pages: 300, tags: ['sad'] }),
        put('c', { kind: 'essay', pages: 200, tags: ['long'] }),
        put('d', { kind: 'essay' }),
      ]);
      expect(await keysOf({ filter: { kind: 'novel' } })).to.deep.equal(['b', 'a']);
      expect(await keysOf({ filter: { pages: 200 } })).to.deep.equal(['c']);
      expect(await keysOf({ filter: { tags: 'long' } })).to.deep.equal(['c', 'a']);
      expect(await keysOf({ filter: { pages: { min: 100, max: 200 } } })).to.deep.equal(['c', 'a']);
      expect(await keysOf({ filter: { pages: { min: 201 } } })).to.deep.equal(['b']);
      expect(await keysOf({ filter: { pages: { max: 100 } } })).to.deep.equal(['a']);
      expect(await keysOf({ filter: { kind: 'novel', tags: 'long', pages: { min: 1 } } })).to.deep.equal([
        'a',
      ]);
    });

    it('sort nulls last in both directions and texts by code point', async () => {
      await fill([
        put('1', { kind: '😀', pages: 1 }),
        put('2', { kind: '～', pages: 2 }),
        put('3', { kind: 'Z' }),
        put('4', { kind: 'a', pages: 2 }),
        put('5', { pages: 7 }),
        put('6', { kind: '' }),
      ]);
      expect(await keysOf({ order: 'byPages' })).to.deep.equal(['5', '2', '4', '1', '3', '6']);
      expect(await keysOf({ order: 'byKind' })).to.deep.equal(['6', '3', '4', '2', '1', '5']);
    });

    it('say how many match in all, and whether more follow', async () => {
      await fill(['a', 'b', 'c', 'd'].map((key) => put(key, { kind: 'k' })));
      const query = { filter: { kind: 'k' }, order: 'byPages', limit: 2 };
      const first = await store().page('shelf', query);
      expect([first.rows.length, first.total]).to.deep.equal([2, 4]);
      if (first.next === null) throw new Error('more must follow');
      const second = await store().page('shelf', { ...query, after: first.next });
      expect([second.rows.length, second.total, second.next]).to.deep.equal([2, 4, null]);
      await fill([put('e', { kind: 'k' }), remove('a')]);
      await fill([put('f', { kind: 'k' })]);
      expect((await store().page('shelf', query)).total).to.equal(5);
    });

    it('end before their limit where their rows would have too many bytes, and go on from there', async () => {
      const rows = ['"€€"', '"aaaaaaa"', '"b"', '"c"', '"d"'];
      const document = { fields: {}, words: wordBands(['', '', '']) };
      await fill(rows.map((json, i) => ({ key: `${i}`, position: '1', document: { ...document, json } })));
      const pages: (readonly string[])[] = [];
      let after: Keyset | null = null;
      do {
        const query = { filter: {}, order: 'byPages', limit: 9, maxBytes: 8 };
        const page = await store().page('shelf', after === null ? query : { ...query, after });
        expect(page.total).to.equal(5);
        pages.push(page.rows);
        after = page.next;
      } while (after !== null);
      expect(pages).to.deep.equal([['"€€"'], ['"aaaaaaa"'], ['"b"', '"c"'], ['"d"']]);
    });

    it('notice what another connection commits from the next turn on', async () => {
      const { generation } = await fill([put('a')]);
      expect((await store().page('shelf', { filter: {}, order: 'byPages', limit: 9 })).total).to.equal(1);
      const other = await connect();
      await other.open([shelf]);
      await other.commit([{ view: 'shelf', generation, from: '1', to: '2', writes: [put('b'), put('c')] }]);
      await other.close();
      await nextTurn();
      const page = await store().page('shelf', { filter: {}, order: 'byPages', limit: 9 });
      expect([page.rows.length, page.total]).to.deep.equal([3, 3]);
    });

    it('refuse what the spec does not know', async () => {
      await fill([put('a')]);
      const bad: Partial<PageQuery>[] = [
        { order: 'byMood' },
        { order: 'constructor' },
        { filter: { mood: 'good' } },
        { filter: { constructor: 'x' } },
        { filter: { pages: 'many' } },
        { filter: { pages: 1.5 } },
        { filter: { pages: { min: Number.NaN } } },
        { filter: { kind: 7 } },
        { filter: { kind: { min: 1 } } },
        { filter: { tags: 7 } },
        { limit: 0 },
        { limit: 1_001 },
        { limit: 1.5 },
        { maxBytes: 0 },
        { maxBytes: 1.5 },
        { after: [] },
        { after: ['a'] },
        { after: [1, null] },
        { after: ['a', 'a'] },
        { after: [1.5, 'a'] },
        { after: [1, 2, 'a'] },
        { order: RELEVANCE },
      ];
      for (const query of bad) await rejects(keysOf(query), RangeError, JSON.stringify(query));
      await rejects(store().page('nowhere', { filter: {}, order: 'byPages', limit: 1 }), RangeError);
      await opened({ ...shelf, name: 'plain', searchable: false });
      await rejects(
        store().page('plain', { filter: {}, order: 'byPages', limit: 1, words: ['a'] }),
        RangeError,
      );
    });

    walksEveryRowOnce(store, runs);
    pagesLikeTheModel(store, runs);
  });
}

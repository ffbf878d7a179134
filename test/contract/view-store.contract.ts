/** What every ViewStore promises. An adapter's test file hands in how to open one on a fresh engine. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { RELEVANCE } from '../../projections/page-query.ts';
import {
  ViewsUnavailable,
  type CollectionSpec,
  type GenerationStatus,
  type ViewStore,
  type ViewWrite,
} from '../../projections/view-store.ts';
import { wordBands } from '../../projections/words.ts';
import { pagesLikeTheModel } from './view-store.model.ts';
import { walksEveryRowOnce } from './view-store.walk.ts';

export interface ViewStoreEngine {
  /** Opens a store on the engine; several may be open at once, as of several processes. */
  readonly connect: () => Promise<ViewStore>;
  readonly dispose: () => Promise<void>;
}

const shelf: CollectionSpec = {
  name: 'shelf',
  version: 1,
  fields: { kind: 'text', pages: 'integer', tags: 'texts' },
  orders: {
    byPages: [{ field: 'pages', direction: 'desc' }],
    byKind: [
      { field: 'kind', direction: 'asc' },
      { field: 'pages', direction: 'desc' },
    ],
    [RELEVANCE]: [],
  },
  searchable: true,
};

interface Book {
  readonly kind?: string | null;
  readonly pages?: number | null;
  readonly tags?: readonly string[];
  readonly title?: string;
  readonly subtitle?: string;
  readonly blurb?: string;
}

function put(
  key: string,
  { kind = null, pages = null, tags = [], title = '', subtitle = '', blurb = '' }: Book = {},
): ViewWrite {
  const json = JSON.stringify({ key, kind, pages, title });
  return {
    key,
    position: '1',
    document: { json, fields: { kind, pages, tags }, words: wordBands([title, subtitle, blurb]) },
  };
}

function remove(key: string): ViewWrite {
  return { key, position: '1', document: null };
}

/** @param runs how many cases each property is tried on: fewer where a server takes its time for each */
export function viewStoreContract(name: string, start: () => Promise<ViewStoreEngine>, runs = 60): void {
  describe(`ViewStore: ${name}`, () => {
    let engine: ViewStoreEngine;
    let store: ViewStore;
    beforeEach(async () => {
      engine = await start();
      store = await engine.connect();
    });
    afterEach(async () => {
      await store.close();
      await engine.dispose();
    });

    async function opened(spec = shelf, on = store): Promise<GenerationStatus> {
      const status = (await on.open([spec])).find((one) => one.view === spec.name && one.live);
      if (status === undefined) throw new Error('no live generation');
      return status;
    }
    async function fill(writes: readonly ViewWrite[], spec = shelf): Promise<GenerationStatus> {
      const { generation, checkpoint } = await opened(spec);
      const to = String(Number(checkpoint ?? 0) + 1);
      expect(
        await store.commit([{ view: spec.name, generation, from: checkpoint, to, writes }]),
      ).to.deep.equal([]);
      return opened(spec);
    }
    async function keysOf(query: Partial<Parameters<ViewStore['page']>[1]>): Promise<string[]> {
      const { rows } = await store.page('shelf', { filter: {}, order: 'byPages', limit: 100, ...query });
      return rows.map((row) => JSON.parse(row).key);
    }

    describe('documents', () => {
      it('are handed back as the very text that was written', async () => {
        const json = '{ "b": 1,\n "a": "é😀\\u0000" }';
        await fill([{ key: 'x', position: '1', document: { json, fields: {}, words: wordBands([]) } }]);
        expect(await store.getJson('shelf', 'x')).to.equal(json);
        expect(await store.getJson('shelf', 'X')).to.equal(undefined);
      });

      it('are replaced and removed', async () => {
        await fill([put('x', { kind: 'a' }), put('y')]);
        await fill([put('x', { kind: 'b' }), remove('y'), remove('never there')]);
        expect(await store.getJson('shelf', 'x')).to.contain('"kind":"b"');
        expect(await store.getJson('shelf', 'y')).to.equal(undefined);
        expect(await keysOf({ filter: { kind: 'a' } })).to.deep.equal([]);
        expect((await opened()).documents).to.equal(1);
      });

      it('are loaded by generation, missing ones left out', async () => {
        const { generation } = await fill([put('x'), put('y')]);
        expect([...(await store.load('shelf', generation, ['y', 'z', 'x'])).keys()].sort()).to.deep.equal([
          'x',
          'y',
        ]);
        expect((await store.load('shelf', generation + 100, ['x'])).size).to.equal(0);
        expect((await store.load('other', generation, ['x'])).size).to.equal(0);
      });

      it('outlive the connection', async () => {
        await fill([put('x', { title: 'kept' })]);
        const again = await engine.connect();
        await opened(shelf, again);
        await store.close();
        store = again;
        expect(await store.getJson('shelf', 'x')).to.contain('kept');
        expect(await keysOf({ words: ['kept'] })).to.deep.equal(['x']);
      });
    });

    describe('commits', () => {
      it('count only from the checkpoint where the generation stands', async () => {
        const { generation } = await fill([put('x')]);
        const stale = { view: 'shelf', generation, from: null, to: '9', writes: [put('z')] };
        expect(await store.commit([stale])).to.deep.equal(['shelf']);
        expect(await store.getJson('shelf', 'z')).to.equal(undefined);
        expect((await opened()).checkpoint).to.equal('1');
      });

      it('refuse one view and take the others', async () => {
        const { generation } = await fill([]);
        const diary = await opened({ ...shelf, name: 'diary' });
        const refused = await store.commit([
          { view: 'shelf', generation, from: '5', to: '9', writes: [put('x')] },
          { view: 'diary', generation: diary.generation, from: null, to: '9', writes: [put('x')] },
        ]);
        expect(refused).to.deep.equal(['shelf']);
        expect(await store.getJson('shelf', 'x')).to.equal(undefined);
        expect(await store.getJson('diary', 'x')).not.to.equal(undefined);
      });

      it('are refused by a generation that is gone', async () => {
        const { generation } = await store.beginGeneration(shelf);
        await store.dropGeneration('shelf', generation);
        expect(
          await store.commit([{ view: 'shelf', generation, from: null, to: '1', writes: [] }]),
        ).to.deep.equal(['shelf']);
      });

      it('let exactly one of several writers move a checkpoint', async () => {
        const { generation } = await opened();
        const others = await Promise.all([engine.connect(), engine.connect(), engine.connect()]);
        await Promise.all(others.map((other) => other.open([shelf])));
        const refused = await Promise.all(
          others.map((other, i) =>
            other.commit([{ view: 'shelf', generation, from: null, to: '1', writes: [put(`by ${i}`)] }]),
          ),
        );
        expect(refused.filter((one) => one.length === 0)).to.have.length(1);
        expect(await keysOf({})).to.have.length(1);
        await Promise.all(others.map((other) => other.close()));
      });
    });

    describe('generations', () => {
      it('are opened once, however often and by whomever', async () => {
        const other = await engine.connect();
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
        await other.close();
      });

      it('must bear another version when fields or orders change', async () => {
        await opened();
        const changed = { ...shelf, fields: { ...shelf.fields, colour: 'text' as const } };
        await rejects(store.open([changed]), RangeError);
        expect(await store.open([{ ...changed, version: 2 }])).to.have.length(1);
      });

      it('are built beside the live one and swapped in, as other connections see at once', async () => {
        const live = await fill([put('old')]);
        const other = await engine.connect();
        await other.open([shelf]);
        expect(await other.getJson('shelf', 'old')).not.to.equal(undefined);
        const next = await store.beginGeneration({ ...shelf, version: 2 });
        expect(next).to.deep.include({ view: 'shelf', version: 2, live: false, checkpoint: null });
        await store.commit([
          { view: 'shelf', generation: next.generation, from: null, to: '7', writes: [put('new')] },
        ]);
        expect(await store.getJson('shelf', 'new')).to.equal(undefined);
        expect(await store.promote('shelf', next.generation)).to.equal(true);
        for (const reader of [store, other]) {
          expect(await reader.getJson('shelf', 'new')).not.to.equal(undefined);
          expect(await reader.getJson('shelf', 'old')).to.equal(undefined);
          const page = await reader.page('shelf', { filter: {}, order: 'byPages', limit: 10 });
          expect(page.total).to.equal(1);
        }
        expect((await store.load('shelf', live.generation, ['old'])).size).to.equal(0);
        expect(await store.status()).to.deep.equal([{ ...next, live: true, documents: 1, checkpoint: '7' }]);
        await other.close();
      });

      it('are made readable while they are still written, with nothing lost or left over', async () => {
        const live = await fill([]);
        const { generation } = await store.beginGeneration(shelf);
        const commit = (from: string | null, to: string, writes: readonly ViewWrite[], by = store) =>
          by.commit([{ view: 'shelf', generation, from, to, writes }]);
        const named = (i: number): string => `book ${String(i).padStart(4, '0')}`;
        const books = Array.from({ length: 1_200 }, (_, i) =>
          put(named(i), { kind: 'old', pages: i, tags: ['old'], title: 'ancient' }),
        );
        await commit(null, '1', books);
        const other = await engine.connect();
        await other.open([shelf]);
        const change = (i: number) =>
          put(named(i), { kind: 'new', pages: i, tags: ['new'], title: 'modern' });
        await commit('1', '2', [change(3), remove(named(4)), remove(named(1_198)), put('extra', {})], other);
        let isReadable = false;
        const done = store.makeReadable('shelf', generation).then(() => (isReadable = true));
        let at = 2;
        for (; !isReadable; at++) {
          // Near the beginning and near the end, before and after they are listed.
          await commit(String(at), String(at + 1), [change(20 + at), change(1_150 + at)], other);
          await nextTurn();
        }
        await done;
        await store.makeReadable('shelf', generation);
        const changed = [named(3)];
        for (let i = 2; i < at; i++) changed.push(named(20 + i), named(1_150 + i));
        expect(await store.promote('shelf', generation)).to.equal(true);
        expect(await opened()).to.deep.include({ generation, documents: 1_199, checkpoint: String(at) });
        expect(live.generation).not.to.equal(generation);
        for (const query of [
          { filter: { kind: 'new' } },
          { filter: { tags: 'new' } },
          { words: ['modern'] },
        ]) {
          expect(await keysOf(query)).to.have.members(changed);
        }
        for (const query of [
          { filter: { kind: 'old' } },
          { filter: { tags: 'old' } },
          { words: ['ancient'] },
        ]) {
          const { total } = await store.page('shelf', { filter: {}, order: 'byPages', limit: 1, ...query });
          expect(total).to.equal(1_198 - changed.length);
        }
        await other.close();
      });

      it('are promoted once: again changes nothing, and one that is gone cannot be', async () => {
        const live = await opened();
        expect(await store.promote('shelf', live.generation)).to.equal(true);
        expect(await store.promote('shelf', live.generation + 100)).to.equal(false);
        expect(await store.promote('other', live.generation)).to.equal(false);
        expect(await store.status()).to.deep.equal([live]);
      });

      it('are dropped unless live, and their numbers never used again', async () => {
        const live = await opened();
        await store.dropGeneration('shelf', live.generation);
        const first = await store.beginGeneration(shelf);
        await store.dropGeneration('shelf', first.generation);
        const second = await store.beginGeneration(shelf);
        expect(second.generation).not.to.equal(first.generation);
        expect((await store.status()).map((one) => one.generation)).to.have.members([
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
        await store.setStuck('shelf', generation, stuck);
        expect((await opened()).stuck).to.deep.equal(stuck);
        await store.setStuck('shelf', generation, null);
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
        await store.open([newer]);
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
      await store.skip(skipped);
      await store.skip({ ...skipped, by: 'somebody else' });
      const other = await engine.connect();
      expect(await other.skipped()).to.deep.equal([skipped]);
      await other.close();
    });

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
        const first = await store.page('shelf', query);
        expect([first.rows.length, first.total]).to.deep.equal([2, 4]);
        if (first.next === null) throw new Error('more must follow');
        const second = await store.page('shelf', { ...query, after: first.next });
        expect([second.rows.length, second.total, second.next]).to.deep.equal([2, 4, null]);
        await fill([put('e', { kind: 'k' }), remove('a')]);
        await fill([put('f', { kind: 'k' })]);
        expect((await store.page('shelf', query)).total).to.equal(5);
      });

      it('notice what another connection commits', async () => {
        const { generation } = await fill([put('a')]);
        expect((await store.page('shelf', { filter: {}, order: 'byPages', limit: 9 })).total).to.equal(1);
        const other = await engine.connect();
        await other.open([shelf]);
        await other.commit([{ view: 'shelf', generation, from: '1', to: '2', writes: [put('b'), put('c')] }]);
        await other.close();
        const page = await store.page('shelf', { filter: {}, order: 'byPages', limit: 9 });
        expect([page.rows.length, page.total]).to.deep.equal([3, 3]);
      });

      it('refuse what the spec does not know', async () => {
        await fill([put('a')]);
        const bad: Partial<Parameters<ViewStore['page']>[1]>[] = [
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
          { after: [] },
          { after: ['a'] },
          { after: [1, null] },
          { after: ['a', 'a'] },
          { after: [1.5, 'a'] },
          { after: [1, 2, 'a'] },
          { order: RELEVANCE },
        ];
        for (const query of bad) await rejects(keysOf(query), RangeError, JSON.stringify(query));
        await rejects(store.page('nowhere', { filter: {}, order: 'byPages', limit: 1 }), RangeError);
        await opened({ ...shelf, name: 'plain', searchable: false });
        await rejects(
          store.page('plain', { filter: {}, order: 'byPages', limit: 1, words: ['a'] }),
          RangeError,
        );
      });

      walksEveryRowOnce(() => store, runs);
      pagesLikeTheModel(() => store, runs);
    });

    describe('searches', () => {
      beforeEach(() =>
        fill([
          put('1', { title: 'Invoice clerk', subtitle: 'Reads bills', blurb: 'A café for clerks', pages: 1 }),
          put('2', { title: 'Reader', subtitle: 'Invoices and bills', blurb: 'quick', pages: 2 }),
          put('3', { title: 'Assistant', subtitle: '', blurb: 'It reads every invoice. Быстро', pages: 3 }),
          put('4', { pages: 4 }),
        ]),
      );

      it('find documents that hold every word as the beginning of one of theirs', async () => {
        expect(await keysOf({ words: ['invoice'] })).to.deep.equal(['3', '2', '1']);
        expect(await keysOf({ words: ['inv', 'bill'] })).to.deep.equal(['2', '1']);
        expect(await keysOf({ words: ['voice'] })).to.deep.equal([]);
        expect(await keysOf({ words: ['inv'], filter: { pages: { max: 2 } } })).to.deep.equal(['2', '1']);
      });

      it('fold case and accents in any script', async () => {
        expect(await keysOf({ words: ['CAFE'] })).to.deep.equal(['1']);
        expect(await keysOf({ words: ['быс'] })).to.deep.equal(['3']);
      });

      it('take a text of several words apart, and find nothing by a text without any', async () => {
        expect(await keysOf({ words: ['reads-bills'] })).to.deep.equal(['1']);
        expect(await keysOf({ words: ['"*'] })).to.deep.equal([]);
        expect(await keysOf({ words: [] })).to.deep.equal([]);
      });

      it('rank by the band in which all words are found', async () => {
        expect(await keysOf({ words: ['invoice'], order: RELEVANCE })).to.deep.equal(['1', '2', '3']);
        expect(await keysOf({ words: ['read'], order: RELEVANCE })).to.deep.equal(['2', '1', '3']);
        expect(await keysOf({ words: ['invoice', 'read'], order: RELEVANCE })).to.deep.equal(['1', '2', '3']);
      });

      it('forget the words of documents that changed or went', async () => {
        await fill([put('1', { title: 'Gardener' }), remove('2')]);
        expect(await keysOf({ words: ['invoice'] })).to.deep.equal(['3']);
        expect(await keysOf({ words: ['garden'] })).to.deep.equal(['1']);
      });
    });
  });
}

async function rejects(
  promise: Promise<unknown>,
  type: new (message?: string) => Error,
  what = '',
): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error, what).to.be.instanceOf(type);
}

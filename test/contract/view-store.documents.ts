/** Documents: kept by their keys as they were written. */
import { expect } from 'chai';
import { wordBands } from '../../projections/words.ts';
import { put, remove, type Shelf, shelf } from './view-store.shelf.ts';

export function keepsDocuments({ store, connect, opened, fill, keysOf }: Shelf): void {
  describe('documents', () => {
    it('are handed back as the very text that was written', async () => {
      const json = '{ "b": 1,\n "a": "é😀\\u0000" }';
      await fill([{ key: 'x', position: '1', document: { json, fields: {}, words: wordBands([]) } }]);
      expect(await store().getJson('shelf', 'x')).to.equal(json);
      expect(await store().getJson('shelf', 'X')).to.equal(undefined);
    });

    it('are replaced and removed', async () => {
      await fill([put('x', { kind: 'a' }), put('y')]);
      await fill([put('x', { kind: 'b' }), remove('y'), remove('never there')]);
      expect(await store().getJson('shelf', 'x')).to.contain('"kind":"b"');
      expect(await store().getJson('shelf', 'y')).to.equal(undefined);
      expect(await keysOf({ filter: { kind: 'a' } })).to.deep.equal([]);
      expect((await opened()).documents).to.equal(1);
    });

    it('are loaded by generation, missing ones left out', async () => {
      const { generation } = await fill([put('x'), put('y')]);
      expect([...(await store().load('shelf', generation, ['y', 'z', 'x'])).keys()].sort()).to.deep.equal([
        'x',
        'y',
      ]);
      expect((await store().load('shelf', generation + 100, ['x'])).size).to.equal(0);
      expect((await store().load('other', generation, ['x'])).size).to.equal(0);
    });

    it('outlive the connection', async () => {
      await fill([put('x', { title: 'kept' })]);
      await store().close();
      const again = await connect();
      await again.open([shelf]);
      expect(await again.getJson('shelf', 'x')).to.contain('kept');
      expect(await keysOf({ words: ['kept'] }, again)).to.deep.equal(['x']);
      await again.close();
    });
  });
}

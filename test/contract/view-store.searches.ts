/** Searches: by the beginnings of words, in any script, the most telling first. */
import { expect } from 'chai';
import { RELEVANCE } from '../../projections/page-query.ts';
import { put, rejects, remove, type Shelf } from './view-store.shelf.ts';

export function searchesByWords({ fill, keysOf }: Shelf): void {
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

    it('refuse a place in a band that there is not: who reads may have made the cursor', async () => {
      for (const band of [-1, 3, null]) {
        const after = [band, '1'];
        await rejects(keysOf({ words: ['invoice'], order: RELEVANCE, after }), RangeError);
      }
    });

    it('forget the words of documents that changed or went', async () => {
      await fill([put('1', { title: 'Gardener' }), remove('2')]);
      expect(await keysOf({ words: ['invoice'] })).to.deep.equal(['3']);
      expect(await keysOf({ words: ['garden'] })).to.deep.equal(['1']);
    });
  });
}

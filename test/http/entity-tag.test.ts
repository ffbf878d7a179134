import { expect } from 'chai';
import fc from 'fast-check';
import { entityTag, storedTag } from '../../src/transport/entity-tag.ts';

describe('The entity tag of a stored text', () => {
  it('is that of the text, however often and among how many others it is asked for', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 50 }), (texts) => {
        for (const text of [...texts, ...texts]) expect(storedTag(text)).to.equal(entityTag(undefined, text));
      }),
    );
    for (let i = 0; i < 3_000; i += 1)
      expect(storedTag(`text ${i % 1_500}`)).to.equal(entityTag(undefined, `text ${i % 1_500}`));
  });
});

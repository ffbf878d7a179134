import { expect } from 'chai';
import { GatheredBytes } from '../../src/ports/gathered-bytes.ts';

describe('GatheredBytes', () => {
  it('gives the bytes of all pieces in their order, and begins anew', () => {
    const gathered = new GatheredBytes();
    const all = Buffer.from(Array.from({ length: 1_000 }, (_, i) => i % 251));
    for (const sizes of [[1_000], [1, 999], [0, 3, 0, 997], Array.from({ length: 1_000 }, () => 1)]) {
      let from = 0;
      for (const size of sizes) {
        gathered.add(all.subarray(from, (from += size)));
        expect(gathered.length).to.equal(from);
      }
      expect(gathered.take().equals(all)).to.equal(true);
      expect(gathered.length).to.equal(0);
    }
    expect(gathered.take()).to.have.lengthOf(0);
  });

  it('writes to no piece that it was given', () => {
    const gathered = new GatheredBytes();
    const pieces = [Buffer.from('abcd'), Buffer.from('efgh')] as const;
    gathered.add(pieces[0].subarray(0, 2));
    gathered.add(pieces[1].subarray(0, 2));
    expect(gathered.take().toString()).to.equal('abef');
    expect(pieces.join(' ')).to.equal('abcd efgh');
  });

  it('does not copy what comes in one piece', () => {
    const gathered = new GatheredBytes();
    const piece = Buffer.from('one');
    gathered.add(piece);
    expect(gathered.take()).to.equal(piece);
  });
});

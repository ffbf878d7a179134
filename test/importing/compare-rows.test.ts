import { expect } from 'chai';
import { compareRows } from '../../src/importing/compare-rows.ts';
import { identify } from '../../src/importing/identify-row.ts';
import { UnreadableSource } from '../../src/importing/source-row.ts';

describe('The rows of a data set', () => {
  it('are at most so many: a source that brings more is refused as a whole', () => {
    const comparison = compareRows('tools', new Map(), 2);
    const source = (name: string, line: number) => ({
      line,
      fields: { name, url: `https://${name}.example/` },
    });
    comparison.take(source('a', 1));
    comparison.take(source('b', 2));
    expect(() => comparison.take(source('c', 3))).to.throw(
      UnreadableSource,
      /with line 3 .* more than 2 rows/,
    );
  });

  it('wait for the end where they may be another row of their address and name, but not all of a source', () => {
    const category = (name: string, text: string, line: number) => ({
      line,
      fields: { name, url: 'https://a.example/', category: text, description: 'x'.repeat(60_000) },
    });
    const names = Array.from({ length: 200 }, (_, n) => `tool-${n}`);
    const known = new Map(
      names.map((name, n) => {
        const identity = identify(category(name, 'Law', n).fields, 'tools');
        if (identity.kind === 'none') throw new Error(identity.reason);
        return [identity.id, { digest: 'before', isListed: true, line: 0, qualifier: '[null,"Law"]' }];
      }),
    );
    const comparison = compareRows('tools', known);
    const settled: number[] = [];
    for (const [n, name] of names.entries()) {
      expect(comparison.take(category(name, 'Finance', n + 1))).to.equal(null);
      settled.push(comparison.settle(false).length);
    }

    expect(settled.filter((rows) => rows > 0)).to.have.lengthOf(1);
    settled.push(comparison.settle(true).length);
    expect(settled.reduce((sum, rows) => sum + rows)).to.equal(names.length);
    expect(comparison.missing().ids).to.deep.equal([]);
  });
});

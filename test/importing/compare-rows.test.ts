import { expect } from 'chai';
import { compareRows } from '../../src/importing/compare-rows.ts';
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
});

import { expect } from 'chai';
import { boundsFault } from '../../src/publishing/yaml-bounds.ts';

describe('The bounds of a YAML text', () => {
  it('are not those of what its texts hold', () => {
    const escapes = '\\q'.repeat(200);
    expect(boundsFault(`a: |\n  "${escapes}"\n`)).to.equal(null);
    expect(boundsFault(`a: "${escapes}"\n`)).to.include('escapes mean nothing');
  });

  it('are so many levels, in brackets and in lines', () => {
    const brackets = (depth: number): string => `a: ${'['.repeat(depth)}${']'.repeat(depth)}\n`;
    expect(boundsFault(brackets(32))).to.equal(null);
    expect(boundsFault(brackets(33))).to.include('nested deeper');
    expect(boundsFault(`${'- '.repeat(32)}a\n${'- '.repeat(32)}a\n`)).to.equal(null);
    for (const mark of ['- ', '? '])
      expect(boundsFault(`${mark.repeat(33)}a\n`), mark).to.include('nested deeper');
    expect(boundsFault(`${Array.from({ length: 200 }, () => '- [a]').join('\n')}\n`)).to.equal(null);
    expect(boundsFault('a: ]\n')).to.include('was not opened');
  });

  it('are so many entries', () => {
    const list = (count: number): string => '- a\n'.repeat(count);
    expect(boundsFault(list(100_000))).to.equal(null);
    expect(boundsFault(list(100_001))).to.include('more than 100000 entries');
  });

  it('are so many wrong escapes in all', () => {
    const line = `"${'\\q'.repeat(50)}"`;
    expect(boundsFault(`- ${line}\n- ${line}\n`)).to.equal(null);
    expect(boundsFault(`- ${line}\n- ${line}\n- "\\q"\n`)).to.include('more than 100 escapes');
    expect(boundsFault(`- "${'\\n'.repeat(500)}"\n`)).to.equal(null);
  });
});

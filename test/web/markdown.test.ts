import { expect } from 'chai';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { lines, link, paragraphs, plain } from '../../src/web/machine/markdown.ts';

const parser = new MarkdownIt({ html: true, linkify: true });
parser.linkify.set({ fuzzyLink: false });

/** Texts that are mostly made of what Markdown reads. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...'#*_`~[]()!<>&|\\-+=.1 \n\t'.split(''),
        'https://',
        'www.',
        '@',
        '&lt;',
        '](',
        '```',
        '---',
      ),
      fc.string({ unit: 'grapheme', maxLength: 4 }),
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(''));

describe('Text in Markdown', () => {
  it('is one paragraph of plain text, whatever it is made of', () => {
    fc.assert(
      fc.property(text, (written) => {
        const blocks = parser.parse(`${plain(written)}\n`, {});
        const types = blocks.flatMap(({ type, children }) => [
          type,
          ...(children ?? []).map((one) => one.type),
        ]);
        const allowed = ['paragraph_open', 'paragraph_close', 'inline', 'text', 'text_special'];
        expect(types.filter((type) => !allowed.includes(type))).to.deep.equal([]);
        const shown = blocks.flatMap(({ children }) => children ?? []).map(({ content }) => content);
        expect(shown.join('')).to.equal(shownOf(written));
      }),
      { numRuns: 1_000 },
    );
  });

  it('cannot end the link that it names, nor change where that leads', () => {
    fc.assert(
      fc.property(text, (written) => {
        const [block, inline] = parser
          .parse(`- ${link(`x${written}`, 'https://market.test/a')}: after`, {})
          .slice(2);
        const tokens = inline?.children ?? [];
        expect(block?.type).to.equal('paragraph_open');
        expect(tokens.flatMap((token) => token.attrGet('href') ?? [])).to.deep.equal([
          'https://market.test/a',
        ]);
        expect(tokens.at(-1)?.content).to.equal(': after');
      }),
      { numRuns: 500 },
    );
  });

  it('keeps its paragraphs', () => {
    expect(lines(paragraphs('one\nline\n\n# two'))).to.equal('one line\n\n\\# two\n\n');
  });
});

/** As a reader sees it: spaces are one space, and half a pair is nothing. */
function shownOf(written: string): string {
  return written
    .replaceAll(/\p{Cs}/gu, '\ufffd')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll('\0', '\ufffd');
}

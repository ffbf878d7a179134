import { expect } from 'chai';
import { bdi, html, xml } from '../../src/web/html.ts';

describe('the html tag', () => {
  it('escapes what is inserted, in text and in attributes', () => {
    const nasty = `"><script>alert('&')</script>`;
    const { text } = html`<a title="${nasty}">${nasty}</a>`;
    expect(text).to.equal(
      '<a title="&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;">' +
        '&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;</a>',
    );
  });

  it('takes markup, lists of markup, numbers and nothing as they are', () => {
    const items = ['a', '<b>'].map((item) => html`<i>${item}</i>`);
    const { text } = html`<p>${items}</p>
      ${null}${7}`;
    expect(text.replaceAll(/\s/g, '')).to.equal('<p><i>a</i><i>&lt;b&gt;</i></p>7');
  });
});

describe('the xml tag', () => {
  it('escapes as well, and replaces what XML has no place for', () => {
    const { text } = xml`<name>${'a\ufffeb\ud800c <&> 🧾'}</name>`;
    expect(text).to.equal('<name>a\ufffdb\ufffdc &lt;&amp;&gt; 🧾</name>');
  });
});

describe('a text within a sentence', () => {
  it('keeps its direction to itself, and is escaped', () => {
    expect(bdi('\u202e<b>').text).to.equal('<bdi>\u202e&lt;b&gt;</bdi>');
  });
});

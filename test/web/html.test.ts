import { expect } from 'chai';
import { html } from '../../src/web/html.ts';

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

import { expect } from 'chai';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import MarkdownIt from 'markdown-it';
import type { TestApi } from '../support/api.ts';
import { HOSTILE_LINK, HOSTILE_TEXTS, publishHostile } from '../support/hostile-market.ts';
import { attributeOf, elementsOf, jsonLdOf, metaOf, textOf } from '../support/markup.ts';
import { BASE_URL } from '../support/memory-market.ts';
import { read, startSeededSite } from '../support/seeded-site.ts';

/** What our pages are made of; anything else came out of a text. */
const OUR_ELEMENTS = new Set(
  `html head meta title link script body a header div nav ul ol li main h1 h2 h3 p span b bdi strong dl dt dd svg rect
   form input button table caption thead tbody tr th td br pre code details summary section footer`.split(
    /\s+/,
  ),
);
const FOREIGN = new URL(HOSTILE_LINK).href;

describe('Hostile text in listings', () => {
  let api: TestApi;
  before(async () => {
    api = await startSeededSite();
    await publishHostile(api.services);
  });
  after(() => api.close());

  for (const [slug, text] of Object.entries(HOSTILE_TEXTS)) {
    describe(slug, () => {
      for (const path of [`/agents/${slug}`, `/agencies/${slug}`, `/bundles/${slug}`]) {
        it(`is shown on ${path} as it was written, and does nothing`, async () => {
          const page = await read(api, path);
          expect(page.status).to.equal(200);
          expectHarmless(page.text);

          const [heading] = elementsOf(page.text).filter(({ tagName }) => tagName === 'h1');
          expect(heading && textOf(heading)).to.equal(text);
          expect(metaOf(page.text, 'og:title')).to.equal(text);
          expect(metaOf(page.text, 'description')).to.equal(text);
        });

        if (path.startsWith('/agencies')) continue;
        it(`is in the data of ${path} as it was written, and cannot end it`, async () => {
          const data = jsonLdOf((await read(api, path)).text);
          expect(data['name']).to.equal(text);
          expect(data['description']).to.equal(`${text}\n\n${text}`);
          expect(data['provider']).to.deep.include({ name: text });
        });

        it(`is in ${path}.md as text, and is no markup there`, async () => {
          const { text: markdown } = await read(api, `${path}.md`);
          const [title] = expectPlainMarkdown(markdown);
          expect(title).to.equal(text.replaceAll(/\s+/g, ' '));
        });
      }
    });
  }

  for (const path of ['/', '/agents?limit=100', '/agencies?limit=100', '/bundles?limit=100']) {
    it(`does nothing in the list ${path}`, async () => {
      const page = await read(api, path);
      expect(page.status).to.equal(200);
      expectHarmless(page.text);
    });
    if (path === '/') continue;

    it(`is on its card in the list ${path} as it was written, in the direction of its script`, async () => {
      const own = elementsOf((await read(api, path)).text).filter(
        (element) => attributeOf(element, 'dir') === 'auto',
      );
      for (const part of ['h2', 'p']) {
        const texts = own.filter(({ tagName }) => tagName === part).map(textOf);
        expect(texts, part).to.include.members(Object.values(HOSTILE_TEXTS));
      }
    });
  }

  it('is no markup in llms.txt, nor in the whole digest', async () => {
    expectPlainMarkdown((await read(api, '/llms.txt')).text);
    expectPlainMarkdown((await read(api, '/llms-full.txt')).text);
  });

  it('leaves feed and sitemap well formed', async () => {
    const feed = (await read(api, '/feed.atom')).text;
    expect(XMLValidator.validate(feed)).to.equal(true);
    expect(XMLValidator.validate((await read(api, '/sitemap.xml')).text)).to.equal(true);

    const parsed = new XMLParser({ processEntities: true, htmlEntities: true }).parse(feed);
    const titles = Array.from(Object(parsed).feed.entry, (entry) => String(Object(entry).title));
    for (const name of ['script', 'xml-end', 'emoji', 'combining']) {
      expect(
        titles.some((title) => title.startsWith(`${HOSTILE_TEXTS[name]}: `)),
        name,
      ).to.equal(true);
    }
    expect(feed).to.not.match(/[\ufffe\uffff]/);
  });

  it('is shown in the search field, and named in what is wrong, without running', async () => {
    for (const text of Object.values(HOSTILE_TEXTS)) {
      const found = await read(api, `/agents?q=${encodeURIComponent(text)}`);
      expect([200, 400]).to.include(found.status);
      expectHarmless(found.text);
      if (found.status === 200) {
        const field = elementsOf(found.text).find((element) => attributeOf(element, 'type') === 'search');
        expect(field && attributeOf(field, 'value')).to.equal(text);
      }

      const wrong = await read(api, `/agents?${encodeURIComponent(text)}=1`);
      expect(wrong.status).to.equal(400);
      expectHarmless(wrong.text);
    }
  });

  it('can be searched for in any script', async () => {
    const slugsOf = async (q: string): Promise<unknown[]> =>
      (await api.get(`/v1/agents?q=${encodeURIComponent(q)}`)).body.data.map(({ slug }) => slug);
    expect(await slugsOf('شركة')).to.include('right-to-left');
    expect(await slugsOf('R\u00e9sum\u00e9')).to.include('combining');
  });
});

/** Only elements of ours, no handlers, no scripts but data, and links that lead where a listing said or to us. */
function expectHarmless(page: string): void {
  for (const element of elementsOf(page)) {
    expect(OUR_ELEMENTS).to.include(element.tagName);
    expect(
      element.attrs.map(({ name }) => name).filter((name) => /^on|^style$|["'<]/.test(name)),
    ).to.deep.equal([]);
    if (element.tagName === 'script') expect(attributeOf(element, 'type')).to.equal('application/ld+json');
    const link = attributeOf(element, 'href');
    if (link === undefined || link === HOSTILE_LINK) continue;
    const { href, origin, protocol } = new URL(link, BASE_URL);
    const isSeeded =
      protocol === 'https:' && origin.endsWith('.example') && origin !== 'https://evil.example';
    expect(origin === BASE_URL || href === FOREIGN || isSeeded, link).to.equal(true);
  }
}

/** Parses as the most generous renderers do, HTML and bare addresses included. Answers with the headings. */
function expectPlainMarkdown(markdown: string): string[] {
  const parser = new MarkdownIt({ html: true, linkify: true });
  parser.linkify.set({ fuzzyLink: false });
  const blocks = parser.parse(markdown, {});
  const headings: string[] = [];
  for (const [at, { type, children }] of blocks.entries()) {
    expect(type).to.not.match(/^html|^fence|^code_block|^hr/);
    for (const inline of children ?? []) {
      expect(inline.type).to.not.match(/^html|^image/);
      const href = inline.attrGet('href');
      if (href !== null) expect(String(href)).to.match(/^http:\/\/market\.test\//);
    }
    if (blocks[at - 1]?.type === 'heading_open') {
      headings.push((children ?? []).map(({ content }) => content).join(''));
    }
  }
  return headings;
}

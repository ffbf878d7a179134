import { expect } from 'chai';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { createDigest } from '../../src/operations/digest.ts';
import type { TestApi } from '../support/api.ts';
import { BASE_URL } from '../support/memory-market.ts';
import { read, startSeededSite } from '../support/seeded-site.ts';

describe('Files for machines', () => {
  let api: TestApi;
  before(async () => {
    api = await startSeededSite();
  });
  after(() => api.close());

  const listed = async (path: string): Promise<string[]> =>
    (await api.get(`${path}?limit=100`)).body.data.map(({ slug }) => String(slug));

  describe('llms.txt', () => {
    it('has one title, a summary, and under headings nothing but lists of links', async () => {
      const { text, type } = await read(api, '/llms.txt');
      const [title, blank, summary, ...rest] = text.trimEnd().split('\n');
      const sections = rest.join('\n').split(/^## /m).slice(1);

      expect(type).to.equal('text/plain; charset=utf-8');
      expect(title).to.equal('# Bourse');
      expect(blank).to.equal('');
      expect(summary).to.match(/^> \S/);
      expect(text.match(/^# /gm)).to.have.lengthOf(1);
      expect(text).to.not.match(/^#{3,} /m);
      expect(sections.map((section) => section.split('\n')[0])).to.deep.equal([
        'Start here',
        'Agents',
        'Bundles',
        'Optional',
      ]);
      for (const line of sections
        .flatMap((section) => section.split('\n').slice(1))
        .filter((one) => one !== '')) {
        expect(line).to.match(/^- \[[^\]]+\]\(<http:\/\/market\.test\/[^>]*>\): \S/);
      }
    });

    it('names the agents trusted most, and is the same in its three places', async () => {
      const texts = await Promise.all(
        ['/llms.txt', '/agents/llms.txt', '/ai-agents/llms.txt'].map(
          async (path) => (await read(api, path)).text,
        ),
      );
      for (const slug of await listed('/v1/agents')) expect(texts[0]).to.include(`/agents/${slug}.md>`);
      expect(new Set(texts).size).to.equal(1);
    });
  });

  describe('llms-full.txt', () => {
    it('has the methodology, every operation, the agents, and when it was made', async () => {
      const { text } = await read(api, '/llms-full.txt');
      expect(text).to.match(/^> Made at \d{4}-\d\d-\d\dT[\d:.]+Z/m);
      expect(text)
        .to.include('## How agents are verified')
        .and.include('`POST /v1/trials` (scope trials:create)');
      expect(text).to.include('### Expense Clerk').and.include('An independent penetration test (weight 12)');
      expect(text.match(/^# /gm)).to.have.lengthOf(1);
      expect((await read(api, '/agents/llms-full.txt')).text).to.equal(text);
    });

    it('is made anew when an operator asks', async () => {
      const before = (await read(api, '/llms-full.txt')).text;
      const { key } = await api.newKey({ scopes: ['operator:write'] });
      const renewed = await api.post('/v1/operator/digest', {}, { key });

      expect(renewed.status).to.equal(200);
      const after = (await read(api, '/llms-full.txt')).text;
      expect(after).to.not.equal(before);
      expect(after.length).to.equal(renewed.body.data['characters']);
      expect(after).to.include(`Made at ${String(renewed.body.data['madeAt'])}`);
    });

    it('is made once for all who ask, and anew after six hours', async () => {
      let nowMs = Date.parse('2026-11-27T09:00:00.000Z');
      const made: string[] = [];
      const digest = createDigest(
        (at) => {
          made.push(at);
          return Promise.resolve(at);
        },
        () => nowMs,
      );
      await Promise.all([digest.current(), digest.current()]);
      nowMs += 6 * 3_600_000 - 1;
      expect(await digest.current()).to.equal('2026-11-27T09:00:00.000Z');
      nowMs += 1;
      expect(await digest.current()).to.equal('2026-11-27T15:00:00.000Z');
      expect(made).to.have.lengthOf(2);
    });

    it('is tried again when making it failed', async () => {
      let isAway = true;
      const digest = createDigest(
        () => (isAway ? Promise.reject(new Error('the views are away')) : Promise.resolve('made')),
        () => 0,
      );
      const failed = await digest.current().catch((error: unknown) => String(error));
      isAway = false;
      expect([failed, await digest.current()]).to.deep.equal(['Error: the views are away', 'made']);
    });
  });

  describe('the sitemap', () => {
    it('is XML and names every page that is listed, each once', async () => {
      const { text, type } = await read(api, '/sitemap.xml');
      expect(XMLValidator.validate(text)).to.equal(true);
      expect(type).to.equal('application/xml; charset=utf-8');

      const entries = Array.from(Object(new XMLParser().parse(text)).urlset.url, Object);
      const addresses = entries.map(({ loc }) => String(loc));
      const expected = [
        '/',
        '/agents',
        '/agencies',
        '/bundles',
        '/methodology',
        '/docs',
        ...(await listed('/v1/agents')).map((slug) => `/agents/${slug}`),
        ...(await listed('/v1/agencies')).map((slug) => `/agencies/${slug}`),
        ...(await listed('/v1/bundles')).map((slug) => `/bundles/${slug}`),
      ];
      expect(addresses).to.have.members(expected.map((path) => BASE_URL + path));
      for (const { lastmod } of entries) {
        if (lastmod !== undefined) expect(new Date(lastmod).toISOString()).to.equal(lastmod);
      }
    });
  });

  describe('the feed', () => {
    it('is Atom: the newly verified first, each entry with an id of its own', async () => {
      const { text, type } = await read(api, '/feed.atom');
      expect(XMLValidator.validate(text)).to.equal(true);
      expect(type).to.equal('application/atom+xml; charset=utf-8');

      const { feed } = new XMLParser({ ignoreAttributes: false }).parse(text);
      const entries = Array.from(feed.entry, Object);
      const times = entries.map(({ updated }) => String(updated));
      expect(entries).to.have.lengthOf(30);
      expect(times).to.deep.equal([...times].sort().reverse());
      expect(feed.updated).to.equal(times[0]);
      expect(new Set(entries.map(({ id }) => id)).size).to.equal(30);
      for (const entry of entries) {
        expect(entry.title).to.match(/: \d+, (listed|verified|audited)$/);
        expect(entry.author.name).to.be.a('string').and.not.empty;
      }
    });
  });

  it('tell crawlers what to leave alone, and where the rest is', async () => {
    const { text } = await read(api, '/robots.txt');
    expect(text).to.include('User-agent: *\n').and.include('Disallow: /checkout/\n');
    expect(text).to.include(`Sitemap: ${BASE_URL}/sitemap.xml`);
  });

  it('tell where to report a weakness, by RFC 9116', async () => {
    const { text, type } = await read(api, '/.well-known/security.txt');
    const [, expires = ''] = /^Expires: (.+)$/m.exec(text) ?? [];
    expect(type).to.equal('text/plain; charset=utf-8');
    expect(text).to.match(/^Contact: (mailto:|https:)/m);
    expect(Date.parse(expires)).to.be.within(Date.now(), Date.now() + 365 * 86_400_000);
  });

  it('list in the AI catalogue what there is, under names of this host', async () => {
    const { text, type } = await read(api, '/.well-known/ai-catalog.json');
    const catalog = JSON.parse(text);
    expect(type).to.equal('application/json; charset=utf-8');
    expect(catalog.specVersion).to.equal('1.0');
    for (const { identifier, type: kind, url, data } of catalog.entries) {
      expect(identifier).to.match(/^urn:ai:market\.test:[a-z]+:[a-z]+$/);
      expect(kind).to.match(/^[a-z]+\/[a-z.+-]+$/);
      expect([url, data].filter((one) => one !== undefined)).to.have.lengthOf(1);
    }
  });

  it('may be read by scripts from anywhere, and not be taken for anything else', async () => {
    for (const path of [
      '/llms.txt',
      '/llms-full.txt',
      '/sitemap.xml',
      '/feed.atom',
      '/agents/expense-clerk.md',
    ]) {
      const { headers } = await read(api, path);
      expect(headers.get('Access-Control-Allow-Origin')).to.equal('*');
      expect(headers.get('X-Content-Type-Options')).to.equal('nosniff');
      expect(headers.get('Content-Security-Policy')).to.include("default-src 'none'");
    }
  });

  it('have each listing in Markdown as on its page', async () => {
    const { text, type } = await read(api, '/agents/expense-clerk.md');
    expect(type).to.equal('text/markdown; charset=utf-8');
    expect(text).to.match(/^# Expense Clerk\n\n> Codes receipts/);
    expect(text).to.include('## Why 93').and.include('| An independent penetration test | Pass | 12 / 12 |');
    expect((await read(api, '/bundles/month-end-close.md')).text).to.include('## Files');
    expect((await read(api, '/methodology.md')).text).to.match(/^# How agents are verified\n/);
    expect((await read(api, '/agents/none.md')).status).to.equal(404);
  });
});

import { expect } from 'chai';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { z } from 'zod';
import { createDigest } from '../../src/operations/digest.ts';
import { VERSION } from '../../src/settings/version.ts';
import { rpc } from '../mcp/mcp-fixture.ts';
import type { TestApi } from '../support/api.ts';
import { BASE_URL } from '../support/memory-market.ts';
import { read, startSeededSite } from '../support/seeded-site.ts';

/** The constraints of the published schema of Server Cards, version 1, as far as ours uses it. */
const publishedCard = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'),
  name: z
    .string()
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().max(255),
  websiteUrl: z.url(),
  remotes: z.tuple([
    z.strictObject({
      type: z.enum(['sse', 'streamable-http']),
      url: z.string().regex(/^https?:\/\/\S+$/),
      supportedProtocolVersions: z.array(z.string()),
      headers: z.array(
        z.strictObject({
          name: z.string(),
          description: z.string(),
          placeholder: z.string(),
          isRequired: z.boolean(),
          isSecret: z.boolean(),
        }),
      ),
    }),
  ]),
});

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
        // As the reference parser has it; `npm run clients -- llms-txt` runs that one.
        expect(line).to.match(/^- \[[^\]]+\]\(http:\/\/market\.test\/[^)<>\s]*\): \S/);
      }
    });

    it('names the agents trusted most, and is the same in its three places', async () => {
      const texts = await Promise.all(
        ['/llms.txt', '/agents/llms.txt', '/ai-agents/llms.txt'].map(
          async (path) => (await read(api, path)).text,
        ),
      );
      for (const slug of await listed('/v1/agents')) expect(texts[0]).to.include(`/agents/${slug}.md)`);
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
    // Validators know no others.
    for (const line of text.split('\n').filter((one) => one !== ''))
      expect(line).to.match(/^(User-agent|Disallow|Allow|Sitemap): \S+$/);
  });

  it('tell where to report a weakness, by RFC 9116', async () => {
    const { text, type } = await read(api, '/.well-known/security.txt');
    const [, expires = ''] = /^Expires: (.+)$/m.exec(text) ?? [];
    expect(type).to.equal('text/plain; charset=utf-8');
    expect(text).to.match(/^Contact: (mailto:|https:)/m);
    expect(Date.parse(expires)).to.be.within(Date.now(), Date.now() + 365 * 86_400_000);
  });

  it('list in the AI catalogue what there is, each served as the type that it names', async () => {
    const { text, type } = await read(api, '/.well-known/ai-catalog.json');
    const catalog = JSON.parse(text);
    expect(type).to.equal('application/ai-catalog+json');
    expect(catalog).to.have.all.keys('specVersion', 'host', 'entries');
    expect(catalog.specVersion).to.equal('1.0');
    const known = ['identifier', 'type', 'url', 'displayName', 'description', 'tags'];
    for (const entry of catalog.entries) {
      expect(known).to.include.members(Object.keys(entry));
      expect(entry.identifier).to.match(/^urn:air:market\.test:[a-z]+:bourse$/);
      const served = await read(api, entry.url.slice(BASE_URL.length));
      expect(served.status, entry.url).to.equal(200);
      const isOwnType = !entry.type.startsWith('application/vnd.oai');
      if (isOwnType) expect(served.type.split(';')[0], entry.url).to.equal(entry.type);
    }
  });

  it('tell of the MCP server before anybody connects, by the published schemas', async () => {
    const cards = ['/mcp/server-card', '/.well-known/mcp/server-card.json'];
    const [card, other] = await Promise.all(cards.map((path) => read(api, path)));
    expect(card?.type).to.equal('application/mcp-server-card+json');
    expect(card?.headers.get('Access-Control-Allow-Origin')).to.equal('*');
    expect(other?.text).to.equal(card?.text);
    const told = publishedCard.parse(JSON.parse(card?.text ?? ''));
    expect(told).to.include({ name: 'test.market/bourse', version: VERSION });
    const [remote] = told.remotes;

    const hello = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    const { body } = await rpc(api.url + new URL(remote.url).pathname, {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: hello,
    });
    expect(remote.supportedProtocolVersions).to.include(body.result?.['protocolVersion']);
    expect(body.result?.['serverInfo']).to.include({ version: told.version, title: told.title });

    const { $schema, ...entry } = JSON.parse((await read(api, '/server.json')).text);
    expect($schema).to.match(/\/schemas\/2025-12-11\/server\.schema\.json$/);
    const { supportedProtocolVersions: _, ...registered } = remote;
    expect({ ...entry, $schema: told.$schema }).to.deep.equal({ ...told, remotes: [registered] });
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

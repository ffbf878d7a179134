import { expect } from 'chai';
import MarkdownIt from 'markdown-it';
import type { TestApi } from '../support/api.ts';
import { attributeOf, elementsOf } from '../support/markup.ts';
import { BASE_URL } from '../support/memory-market.ts';
import { read, startSeededSite } from '../support/seeded-site.ts';

const FILES_FOR_MACHINES = [
  '/llms.txt',
  '/agents/llms.txt',
  '/ai-agents/llms.txt',
  '/llms-full.txt',
  '/agents/llms-full.txt',
  '/sitemap.xml',
  '/robots.txt',
  '/feed.atom',
  '/.well-known/ai-catalog.json',
  '/.well-known/security.txt',
];

/** Filters are links, and every page of results offers all of them: pairs of filters are tried once each. */
const MOST_FILTERS = 2;

describe('Links', () => {
  let api: TestApi;
  before(async () => {
    api = await startSeededSite();
  });
  after(() => api.close());

  it('lead to something, in every page and every file for machines', async () => {
    const { broken, visited } = await crawl(api, ['/', ...FILES_FOR_MACHINES]);

    expect(broken).to.deep.equal([]);
    for (const path of ['/docs', '/agents/expense-clerk', '/agents/expense-clerk.md', '/openapi.json']) {
      expect(visited).to.include(path);
    }
    const agents = (await api.get('/v1/agents?limit=100')).body.data.map(({ slug }) => String(slug));
    expect(agents).to.have.lengthOf.at.least(40);
    for (const slug of agents) expect(visited).to.include.members([`/agents/${slug}`]);
  }).timeout(120_000);
});

interface Crawl {
  readonly visited: readonly string[];
  /** `address on page: status` */
  readonly broken: readonly string[];
}

/** Follows every internal link from where it begins; retired agents are nowhere linked, so nothing may be gone. */
async function crawl(api: TestApi, from: readonly string[]): Promise<Crawl> {
  const queue = from.map((path) => ({ path, on: 'start' }));
  const seen = new Set(from.map(shapeOf));
  const visited: string[] = [];
  const broken: string[] = [];
  for (const { path, on } of queue) {
    const { status, type, text } = await read(api, path);
    visited.push(path);
    if (status !== 200) broken.push(`${path} on ${on}: ${status}`);
    for (const link of linksOf(text, type)) {
      const to = internal(link, path);
      if (to === null || seen.has(shapeOf(to))) continue;
      seen.add(shapeOf(to));
      if (new URL(to, BASE_URL).searchParams.size <= MOST_FILTERS) queue.push({ path: to, on: path });
    }
  }
  return { visited, broken };
}

/** One address stands for all that filter by the same two things. */
function shapeOf(path: string): string {
  const { pathname, searchParams } = new URL(path, BASE_URL);
  if (searchParams.size < MOST_FILTERS) return path;
  return `${pathname}?${[...searchParams.keys()].sort().join('&')}`;
}

/** The path and query of an address of this service; null for one that leads away from it. */
function internal(link: string, on: string): string | null {
  const url = new URL(link, BASE_URL + on);
  return url.origin === BASE_URL ? url.pathname + url.search : null;
}

function linksOf(text: string, contentType: string): string[] {
  if (contentType.startsWith('text/html')) return linksOfPage(text);
  if (/markdown|llms|plain/.test(contentType)) return [...linksOfMarkdown(text), ...linksOfFields(text)];
  if (/xml/.test(contentType)) {
    return [...text.matchAll(/(?:<loc>|<id>|href=")([^<"]+)/g)].map(([, url = '']) => url);
  }
  // Of JSON, what is for crawlers: the API's own data is walked by its own tests.
  if (!text.includes('"specVersion"')) return [];
  return [...text.matchAll(/"(?:url|documentationUrl)": "([^"]+)"/g)]
    .map(([, url = '']) => url)
    .filter((url) => !url.endsWith('/mcp'));
}

function linksOfPage(text: string): string[] {
  return elementsOf(text).flatMap((element) => {
    const url = attributeOf(element, 'href') ?? attributeOf(element, 'src') ?? attributeOf(element, 'action');
    return url === undefined || url.startsWith('#') ? [] : [url];
  });
}

function linksOfMarkdown(text: string): string[] {
  const tokens = new MarkdownIt({ linkify: true }).parse(text, {}).flatMap(({ children }) => children ?? []);
  return tokens.flatMap((token) => token.attrGet('href') ?? []).map(String);
}

/** The lines of robots.txt and security.txt. */
function linksOfFields(text: string): string[] {
  return [...text.matchAll(/^(?:Sitemap|Canonical): (\S+)$/gm)].map(([, url = '']) => url);
}

import { expect } from 'chai';
import { startApi, type TestApi } from '../support/api.ts';
import { attributeOf, elementsOf, jsonLdOf, metaOf, textOf } from '../support/markup.ts';
import { BASE_URL } from '../support/memory-market.ts';
import { EACH_PAGE, read, startSeededSite } from '../support/seeded-site.ts';

describe('Pages', () => {
  let api: TestApi;
  before(async () => {
    api = await startSeededSite();
  });
  after(() => api.close());

  const headingOf = (text: string): string =>
    elementsOf(text)
      .filter(({ tagName }) => tagName === 'h1')
      .map(textOf)
      .join(' | ');

  describe('every page', () => {
    for (const path of EACH_PAGE) {
      it(`${path} has one heading, a title, a description and a language`, async () => {
        const { text, type } = await read(api, path);
        const elements = elementsOf(text);

        expect(type).to.equal('text/html; charset=utf-8');
        expect(headingOf(text)).to.match(/^[^|]+$/);
        expect(elements.find(({ tagName }) => tagName === 'title')).to.exist;
        expect(metaOf(text, 'description')).to.be.a('string').and.not.empty;
        expect(metaOf(text, 'og:title')).to.be.a('string').and.not.empty;
        expect(metaOf(text, 'og:site_name')).to.equal('Bourse');
        const [root] = elements;
        expect(root && attributeOf(root, 'lang')).to.equal('en');
      });

      it(`${path} runs nothing inline and nothing from elsewhere`, async () => {
        const { headers, text } = await read(api, path);
        const policy = headers.get('Content-Security-Policy') ?? '';

        expect(policy).to.include("default-src 'none'").and.include("frame-ancestors 'none'");
        expect(policy).to.not.match(/unsafe|\*|https?:/);
        expect(policy.includes('script-src')).to.equal(path === '/docs');
        expect(headers.get('X-Content-Type-Options')).to.equal('nosniff');
        expect(headers.get('X-Request-Id')).to.be.a('string');
        for (const element of elementsOf(text)) {
          expect(element.attrs.filter(({ name }) => name === 'style' || name.startsWith('on'))).to.deep.equal(
            [],
          );
          if (element.tagName === 'style') expect.fail('styles come from a file');
          if (element.tagName !== 'script') continue;
          const isData = attributeOf(element, 'type') === 'application/ld+json';
          expect(isData || attributeOf(element, 'src')?.startsWith('/assets/')).to.equal(true);
        }
      });
    }
  });

  describe('caching', () => {
    for (const path of [
      '/',
      '/agents',
      '/agents/expense-clerk',
      '/agents/expense-clerk.md',
      '/docs',
      '/llms.txt',
    ]) {
      it(`spares a client what it has of ${path}`, async () => {
        const first = await read(api, path);
        const tag = first.headers.get('ETag') ?? '';
        const again = await read(api, path, { 'If-None-Match': tag });

        expect(tag).to.match(/^"[^"]+"$/);
        expect([again.status, again.text]).to.deep.equal([304, '']);
        expect(first.headers.get('Cache-Control')).to.match(/^public, max-age=\d+$/);
      });
    }
  });

  describe('what search engines are told', () => {
    it('is one address for each thing, whatever the query', async () => {
      const canonicalOf = async (path: string): Promise<string | undefined> => {
        const links = elementsOf((await read(api, path)).text).filter(
          (element) => element.tagName === 'link' && attributeOf(element, 'rel') === 'canonical',
        );
        return links[0] && attributeOf(links[0], 'href');
      };
      expect(await canonicalOf('/?ref=newsletter')).to.equal(`${BASE_URL}/`);
      expect(await canonicalOf('/agents/expense-clerk')).to.equal(`${BASE_URL}/agents/expense-clerk`);
      expect(await canonicalOf('/bundles/month-end-close')).to.equal(`${BASE_URL}/bundles/month-end-close`);
      expect(await canonicalOf('/agents?category=finance')).to.equal(undefined);
    });

    it('is to leave results and refusals out', async () => {
      for (const path of [
        '/agents?q=match',
        '/agents/there-is-none',
        '/agents/schema-scout',
        '/agents?limit=0',
      ]) {
        expect(metaOf((await read(api, path)).text, 'robots')).to.equal('noindex');
      }
      expect(metaOf((await read(api, '/agents')).text, 'robots')).to.equal(undefined);
    });

    it('is an agent’s tier, autonomy, score and methodology as properties of ours, never as a rating', async () => {
      const agents = (await api.get('/v1/agents?limit=100')).body.data;
      for (const agent of agents) {
        const { text } = await read(api, `/agents/${String(agent['slug'])}`);
        const data = jsonLdOf(text);
        const { tier, trustScore, methodologyVersion } = Object(agent['verification']);
        const { trialPriceCents } = Object(agent['pricing']);

        expect(data['@type']).to.equal('SoftwareApplication');
        expect(data['name']).to.equal(agent['name']);
        expect(data['additionalProperty']).to.deep.equal([
          { '@type': 'PropertyValue', name: 'bourse:verificationTier', value: tier },
          { '@type': 'PropertyValue', name: 'bourse:autonomyLevel', value: agent['autonomyLevel'] },
          { '@type': 'PropertyValue', name: 'bourse:trustScore', value: trustScore },
          { '@type': 'PropertyValue', name: 'bourse:methodologyVersion', value: methodologyVersion },
        ]);
        expect(data['provider']).to.deep.include({
          '@type': 'Organization',
          name: Object(agent['agency']).name,
        });
        expect(Number(Object(data['offers']).price)).to.equal(trialPriceCents / 100);
        expect(text).to.not.match(/aggregateRating|ratingValue/);
      }
    });

    it('is a bundle’s version, licence and root hash, and that it costs nothing', async () => {
      const data = jsonLdOf((await read(api, '/bundles/month-end-close')).text);
      expect(data['softwareVersion']).to.match(/^\d/);
      expect(data['offers']).to.deep.include({ price: '0.00', priceCurrency: 'USD' });
      expect(JSON.stringify(data['additionalProperty'])).to.include('bourse:rootHash');
    });
  });

  describe('what cannot be shown', () => {
    it('is said on a page to people, and in the envelope to programs', async () => {
      const page = await read(api, '/nothing/here');
      expect([page.status, page.type]).to.deep.equal([404, 'text/html; charset=utf-8']);
      expect(headingOf(page.text)).to.equal('There is nothing here');

      for (const path of ['/nothing/here', '/v1/nothing', '/api/nothing']) {
        const answer = await api.get(
          path,
          path === '/nothing/here' ? {} : { headers: { Accept: 'text/html' } },
        );
        expect([answer.status, answer.body.error.code]).to.deep.equal([404, 'not_found']);
      }
    });

    it('is no agent, bundle or agency of that name', async () => {
      for (const path of [
        '/agents/none',
        '/bundles/none',
        '/agencies/none',
        '/agents/NOT-A-SLUG',
        '/agents/a%20b',
      ]) {
        const { status, text } = await read(api, path);
        expect([path, status, headingOf(text)]).to.deep.equal([path, 404, 'There is nothing here']);
      }
    });

    it('is gone for good once it is retired, and says since when and why', async () => {
      const { status, text, headers } = await read(api, '/agents/schema-scout');
      expect(status).to.equal(410);
      expect(headingOf(text)).to.equal('Schema Scout is retired');
      expect(text).to.include('its work is part of Entity Matcher now');
      expect(headers.get('Cache-Control')).to.equal('no-store');

      const alternate = await read(api, '/agents/schema-scout.md');
      expect([alternate.status, alternate.text.startsWith('# Schema Scout is retired')]).to.deep.equal([
        410,
        true,
      ]);
      expect((await api.get('/v1/agents/schema-scout')).status).to.equal(404);
    });

    const foreignCursor = async (): Promise<string> => {
      const { body } = await api.get('/v1/agents?limit=2&category=finance');
      return String(body.meta['nextCursor']);
    };
    const manyFilters = Array.from({ length: 100 }, (_, at) => `filter${at}=x`).join('&');
    const wrong: Readonly<Record<string, () => string | Promise<string>>> = {
      'a limit of 0': () => '/agents?limit=0',
      'a limit of 101': () => '/agents?limit=101',
      'a cursor of other filters': async () =>
        `/agents?category=legal&limit=2&cursor=${await foreignCursor()}`,
      'a cursor that is none': () => '/bundles?cursor=none',
      'a search of 10,000 characters': () => `/agents?q=${'a'.repeat(10_000)}`,
      'a hundred filters that are none': () => `/agents?${manyFilters}`,
      'a filter given twice': () => '/agents?tier=listed&tier=audited',
      'relevance without a search': () => '/agents?sort=relevance',
    };
    for (const [what, path] of Object.entries(wrong)) {
      it(`is the answer to ${what}, and the page says so`, async () => {
        const { status, text, headers } = await read(api, await path());
        expect(status).to.equal(400);
        expect(headingOf(text)).to.match(/not possible|is no more/);
        expect(text.length).to.be.below(60_000);
        expect(headers.get('Cache-Control')).to.equal('no-store');
      });
    }
  });

  it('count against the public limit, and say when to come back', async () => {
    const small = await startSeededSite({ publicRateLimit: 3 });
    try {
      const answers = [];
      for (const path of ['/', '/agents', '/llms.txt', '/agents', '/feed.atom']) {
        answers.push(await read(small, path));
      }
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 429, 429]);
      for (const { headers } of answers.slice(3)) {
        expect(Number(headers.get('Retry-After'))).to.be.at.least(1);
        expect(headers.get('RateLimit')).to.match(/r=0;/);
      }
    } finally {
      await small.close();
    }
  });

  it('name every category in the filters, whatever is filtered', async () => {
    const { text } = await read(api, '/agents?category=finance&limit=1');
    for (const category of ['commerce', 'legal', 'security']) expect(text).to.include(`category=${category}`);
  });

  it('say why a score is what it is, and what would change it', async () => {
    const { text } = await read(api, '/agents/expense-clerk');
    const { data } = (await api.get('/v1/agents/expense-clerk/verification')).body;
    const all = elementsOf(text).map(textOf).join(' ');

    expect(all).to.include(`Why ${String(data['trustScore'])}, and not more`);
    for (const check of Array.from(Object(data['checks']), Object)) {
      if (check.result !== 'not_applicable') expect(all).to.include(check.title);
      if (check.toPass !== null)
        expect(all).to.include(check.toPass).and.include(String(check.scoreIfPassed));
      for (const evidence of check.evidence) expect(text).to.include(evidence.sha256);
    }
  });

  it('keep the filters of a search that goes on', async () => {
    const { text } = await read(api, '/agents?category=finance&tier=audited');
    const hidden = elementsOf(text).filter((element) => attributeOf(element, 'type') === 'hidden');
    expect(
      hidden.map((element) => [attributeOf(element, 'name'), attributeOf(element, 'value')]),
    ).to.deep.equal([
      ['category', 'finance'],
      ['tier', 'audited'],
    ]);
  });
});

describe('Pages of a market without a listing', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  for (const path of ['/', '/agents', '/agencies', '/bundles']) {
    it(`${path} says that nothing is listed yet, and has no heading and no filter over nothing`, async () => {
      const { status, text } = await read(api, path);
      const all = elementsOf(text).map(textOf).join(' ');

      expect(status).to.equal(200);
      expect(all).to.include('Nothing is listed yet.').and.not.include('Take a filter away');
      expect(all).to.not.include('Trusted most').and.not.include('Category').and.not.include('Country');
    });
  }
});

import { expect } from 'chai';
import fc from 'fast-check';
import type { Listing } from '../../../events/agent-listing.ts';
import { listAgents } from '../../../src/operations/directory/list-agents.ts';
import { listAgencies } from '../../../src/operations/directory/list-agencies.ts';
import { listBundles } from '../../../src/operations/directory/list-bundles.ts';
import { listChanges } from '../../../src/operations/directory/list-changes.ts';
import * as changes from '../../../src/operations/directory/writing/changes.ts';
import { answered, done, type Market, openMarket, refused } from '../../support/directory-market.ts';
import {
  DAY_1,
  DAY_2,
  daysAfter,
  evidence,
  finding,
  listing,
  methodology,
  profile,
} from '../../support/sample-directory.ts';

async function emptyMarket(): Promise<Market> {
  const market = openMarket();
  await done(changes.publishMethodology(methodology())(market.executorAt(DAY_1)));
  await done(changes.registerAgency('ledgerworks', profile())(market.executorAt(DAY_1)));
  await done(
    changes.registerAgency('quarry', profile({ name: 'Quarry', country: 'NL' }))(market.executorAt(DAY_1)),
  );
  return market;
}

const publish = (
  market: Market,
  slug: string,
  overrides: Partial<Omit<Listing, 'agency'>> & { agency?: string } = {},
  at = DAY_1,
) =>
  done(
    changes.publishAgent(slug, { ...listing(), agency: 'ledgerworks', ...overrides })(market.executorAt(at)),
  );

async function slugsOf(market: Market, input: object): Promise<readonly string[]> {
  return answered(await market.ask(listAgents, input)).data.map(({ slug }) => slug);
}

/** Follows nextCursor to its end, with something happening between the pages. */
async function walk(
  market: Market,
  input: object,
  between: () => Promise<unknown>,
): Promise<readonly string[]> {
  const seen: string[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = answered(
      await market.ask(listAgents, { ...input, ...(cursor === undefined ? {} : { cursor }) }),
    );
    seen.push(...page.data.map(({ slug }) => slug));
    cursor = page.meta.nextCursor;
    await between();
  }
  return seen;
}

describe('The list of agents', () => {
  let market: Market;
  before(async () => {
    market = await emptyMarket();
    const per_hour = { model: 'per_hour', amountCents: 900, trialPriceCents: 100, currency: 'usd' } as const;
    await publish(market, 'alpha', { name: 'Zeta', categories: ['finance', 'legal'], autonomyLevel: 2 });
    await publish(market, 'beta', { name: 'beta', capabilities: ['table-reading'], agency: 'quarry' }, DAY_2);
    await publish(market, 'gamma', {
      name: 'Äther',
      pricing: per_hour,
      description: 'Reads zeta functions.',
    });
    await publish(market, 'hidden', { name: 'Hidden' });
    await done(changes.submitEvidence('beta', evidence('doc'))(market.executorAt(DAY_1)));
    await done(
      changes.recordAssessment('beta', finding('benchmark', 'pass', ['doc']))(market.executorAt(DAY_2)),
    );
    await done(
      changes.changeAgent('hidden', { type: 'SuspendAgent', reason: 'Silent.' })(market.executorAt(DAY_2)),
    );
  });

  const cases: [string, object, string[]][] = [
    ['the most trusted first, then by slug, without suspended ones', {}, ['beta', 'alpha', 'gamma']],
    ['a category', { category: 'legal' }, ['alpha']],
    ['a capability', { capability: 'table-reading' }, ['beta']],
    ['an agency', { agency: 'quarry' }, ['beta']],
    ['a tier', { tier: 'unverified' }, ['alpha', 'gamma']],
    ['a least trust score, inclusive', { minTrustScore: 50 }, ['beta']],
    ['an autonomy level', { autonomyLevel: 2 }, ['alpha']],
    ['a pricing model', { pricingModel: 'per_hour' }, ['gamma']],
    ['a highest price, inclusive', { maxPriceCents: 900 }, ['gamma']],
    ['several filters at once', { category: 'finance', tier: 'listed', agency: 'quarry' }, ['beta']],
    ['names without regard to case and accents', { sort: 'name' }, ['gamma', 'beta', 'alpha']],
    ['the newest first', { sort: '-publishedAt' }, ['beta', 'alpha', 'gamma']],
    ['the cheapest first', { sort: 'priceCents' }, ['gamma', 'alpha', 'beta']],
    ['words, those in the name first', { q: 'zeta' }, ['alpha', 'gamma']],
    ['beginnings of words, whatever their accents', { q: 'ATH' }, ['gamma']],
    ['every word', { q: 'zeta functions' }, ['gamma']],
    [
      'words, by trust where that is asked for',
      { q: 'matches', sort: '-trustScore' },
      ['beta', 'alpha', 'gamma'],
    ],
    ['nothing for a category that nobody has', { category: 'constructor' }, []],
  ];
  for (const [what, input, slugs] of cases) {
    it(`gives ${what}`, async () => {
      expect(await slugsOf(market, input)).to.deep.equal(slugs);
    });
  }

  it('counts what matches', async () => {
    const page = answered(await market.ask(listAgents, { tier: 'unverified', limit: 1 }));
    expect(page.meta).to.include({ limit: 1, total: 2 });
  });

  for (const input of [{ limit: 0 }, { limit: 101 }, { q: 'x'.repeat(201) }, { tier: 'best' }, { typo: 1 }]) {
    it(`does not take ${JSON.stringify(input).slice(0, 40)}`, () => {
      expect(listAgents.input.safeParse(input).success).to.equal(false);
    });
  }

  it('sorts by relevance only what was searched for', async () => {
    expect(refused(await market.ask(listAgents, { sort: 'relevance' }))).to.equal('invalid_request');
  });
});

describe('A cursor', () => {
  let market: Market;
  let cursor: string;
  before(async () => {
    market = await emptyMarket();
    for (const slug of ['a', 'b', 'c']) await publish(market, slug);
    const { meta } = answered(await market.ask(listAgents, { category: 'finance', limit: 1 }));
    cursor = meta.nextCursor ?? '';
  });

  it('goes on where the page ended', async () => {
    expect(await slugsOf(market, { category: 'finance', limit: 1, cursor })).to.deep.equal(['b']);
  });

  it('may be used with another limit', async () => {
    expect(await slugsOf(market, { category: 'finance', cursor })).to.deep.equal(['b', 'c']);
  });

  for (const [what, input] of Object.entries({
    'other filters': {},
    'a filter more': { category: 'finance', tier: 'unverified' },
    'another sort': { category: 'finance', sort: 'name' },
    'a search': { category: 'finance', q: 'matches' },
  })) {
    it(`is refused with ${what}`, async () => {
      expect(refused(await market.ask(listAgents, { ...input, cursor }))).to.equal('invalid_cursor');
    });
  }

  it('is refused when anything in it was changed', () =>
    fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.constantFrom('A', 'z', '0', '9', '-', '_', '=', '~'),
        async (place, letter) => {
          const at = place % cursor.length;
          const changed = cursor.slice(0, at) + letter + cursor.slice(at + 1);
          fc.pre(changed !== cursor);
          const asked = await market.ask(listAgents, { category: 'finance', cursor: changed });
          // A changed place may still be a place; what it must not be is a fault of ours.
          if (!asked.ok) expect(asked.refusal.code).to.equal('invalid_cursor');
        },
      ),
      { numRuns: 50 },
    ));

  it('is refused when it is no cursor at all', async () => {
    for (const nonsense of ['x', 'W10', 'bnVsbA', 'eyJhIjoxfQ', '%00', 'é']) {
      expect(refused(await market.ask(listAgents, { category: 'finance', cursor: nonsense }))).to.equal(
        'invalid_cursor',
      );
    }
  });

  it('is refused with a place of another shape, under a right mark', async () => {
    const [mark] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    for (const place of [[], [1], [1, 2], ['a', 'a'], [1, 'a', 'b'], [{}, 'a']]) {
      const forged = Buffer.from(JSON.stringify([mark, ...place])).toString('base64url');
      expect(refused(await market.ask(listAgents, { category: 'finance', cursor: forged }))).to.equal(
        'invalid_cursor',
      );
    }
  });
});

describe('Walking a list', () => {
  for (const sort of ['-trustScore', 'name', '-publishedAt', 'priceCents']) {
    it(`by ${sort} visits each row that was there throughout once, whatever is added and retired meanwhile`, async () => {
      const market = await emptyMarket();
      const there = Array.from({ length: 12 }, (_, index) => `agent-${String(index).padStart(2, '0')}`);
      for (const [index, slug] of there.entries()) {
        await publish(market, slug, { name: `Name ${index % 3}` }, daysAfter(DAY_1, index % 4));
      }
      let added = 0;
      const seen = await walk(market, { sort, limit: 3 }, async () => {
        await publish(market, `added-${added}`, { name: `Name ${added % 3}` }, daysAfter(DAY_1, added % 5));
        if (added === 1)
          await done(
            changes.changeAgent('added-0', { type: 'RetireAgent', reason: 'Gone.' })(
              market.executorAt(DAY_2),
            ),
          );
        added += 1;
      });
      const kept = seen.filter((slug) => slug.startsWith('agent-'));
      expect(kept.toSorted()).to.deep.equal(there);
    });
  }
});

describe('The lists of agencies and bundles', () => {
  it('filter and search', async () => {
    const market = await emptyMarket();
    const bundle = {
      name: 'Tidy tables',
      tagline: 'Typed rows.',
      description: 'Skills.',
      agency: 'quarry',
      categories: ['data'],
      skills: [{ name: 'header-repair', description: 'Finds the header.' }],
      licence: 'MIT',
    };
    const files = [{ path: 'SKILL.md', size: 1, sha256: 'a'.repeat(64) }];
    await done(changes.publishBundleVersion('tidy-tables', '1.0.0', bundle, files)(market.executorAt(DAY_1)));
    const agencySlugs = async (input: object) =>
      answered(await market.ask(listAgencies, input)).data.map(({ slug }) => slug);
    expect(await agencySlugs({})).to.deep.equal(['ledgerworks', 'quarry']);
    expect(await agencySlugs({ country: 'NL' })).to.deep.equal(['quarry']);
    expect(await agencySlugs({ q: 'ledger' })).to.deep.equal(['ledgerworks', 'quarry']);
    const bundleSlugs = async (input: object) =>
      answered(await market.ask(listBundles, input)).data.map(({ slug }) => slug);
    expect(await bundleSlugs({ q: 'header', category: 'data', agency: 'quarry' })).to.deep.equal([
      'tidy-tables',
    ]);
    expect(await bundleSlugs({ agency: 'ledgerworks' })).to.deep.equal([]);
  });
});

describe('The change feed', () => {
  it('is read on from any position, to its end and beyond', async () => {
    const market = await emptyMarket();
    await publish(market, 'alpha');
    const first = answered(await market.ask(listChanges, { limit: 2 }));
    expect(first.data.map(({ resource }) => resource)).to.deep.equal(['methodology', 'agency']);
    expect(first.meta.nextCursor).to.equal(first.data[1]?.position);
    const rest = answered(await market.ask(listChanges, { after: first.meta.nextCursor }));
    expect(rest.data.map(({ change, slug }) => `${change} ${slug}`)).to.deep.equal([
      'listed quarry',
      'listed alpha',
      'rescored alpha',
    ]);
    expect(rest.meta.nextCursor).to.equal(null);
    const after = rest.data.at(-1)?.position;
    expect(answered(await market.ask(listChanges, { after })).data).to.deep.equal([]);
    await done(
      changes.changeAgent('alpha', { type: 'RetireAgent', reason: 'Gone.' })(market.executorAt(DAY_2)),
    );
    expect(answered(await market.ask(listChanges, { after })).data).to.have.length(1);
  });

  it('refuses a position that it never gave, which would otherwise look like the end or the beginning', async () => {
    const market = await emptyMarket();
    for (const after of ['zzz', '-1', '0', '9999999999999999']) {
      expect(refused(await market.ask(listChanges, { after })), after).to.equal('invalid_cursor');
    }
  });
});

import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { EVIDENCE_KINDS } from '../../events/agent-events.ts';
import { TIERS } from '../../events/agent-score.ts';
import { getMethodology } from '../../src/operations/directory/get-methodology.ts';
import { getVerification } from '../../src/operations/directory/get-verification.ts';
import { listAgencies } from '../../src/operations/directory/list-agencies.ts';
import { listAgents } from '../../src/operations/directory/list-agents.ts';
import { listBundles } from '../../src/operations/directory/list-bundles.ts';
import { listChanges } from '../../src/operations/directory/list-changes.ts';
import type { CommandRunner } from '../../src/commanding/command-runner.ts';
import { seedMarket } from '../../src/seeding/seed-market.ts';
import { verifyAgent } from '../../src/verifying/verify-agent.ts';
import { type Market, openMarket, answered } from '../support/directory-market.ts';

const SEEDS = fileURLToPath(new URL('../../infra/seeds', import.meta.url));
const NOW = '2026-11-27T09:30:00.000Z';

describe('The seeded market', () => {
  const market: Market = openMarket();
  before(() => seedMarket(market, SEEDS, NOW));

  const all = async () => answered(await market.ask(listAgents, { limit: 100 })).data;
  const records = async () =>
    Promise.all(
      (await all()).map(async ({ slug }) => answered(await market.ask(getVerification, { slug })).data),
    );

  it('has agents of twelve agencies, bundles, and two methodologies', async () => {
    expect((await all()).length).to.be.at.least(40);
    expect(answered(await market.ask(listAgencies, {})).meta.total).to.equal(12);
    expect(answered(await market.ask(listBundles, {})).meta.total).to.equal(15);
    const versions = ['1.0', undefined].map(
      async (version) => answered(await market.ask(getMethodology, { version })).data.version,
    );
    expect(await Promise.all(versions)).to.deep.equal(['1.0', '1.1']);
  });

  it('has evidence of every kind, and agents of every tier', async () => {
    const kinds = new Set(
      (await records()).flatMap(({ checks }) =>
        checks.flatMap(({ evidence }) => evidence.map(({ kind }) => kind)),
      ),
    );
    expect([...kinds]).to.have.members([...EVIDENCE_KINDS]);
    expect([...new Set((await all()).map(({ verification }) => verification.tier))]).to.have.members([
      ...TIERS,
    ]);
  });

  it('has findings that failed, and such whose evidence has expired', async () => {
    const checks = (await records()).flatMap((record) => record.checks);
    expect(checks.filter(({ result }) => result === 'fail')).not.to.be.empty;
    expect(checks.filter(({ result, finding }) => result === 'not_assessed' && finding !== null)).not.to.be
      .empty;
  });

  it('has agents that were suspended, resumed and retired', async () => {
    const kinds = new Set<string>();
    let after: string | undefined;
    do {
      const page = answered(await market.ask(listChanges, { after, limit: 100 }));
      for (const { change } of page.data) kinds.add(change);
      after = page.meta.nextCursor ?? undefined;
    } while (after !== undefined);
    expect([...kinds]).to.have.members(['listed', 'revised', 'rescored', 'suspended', 'resumed', 'retired']);
  });

  it('has scores that anyone can recompute, by the methodology in force', async () => {
    const methodology = answered(await market.ask(getMethodology, {})).data;
    for (const record of await records()) {
      const verdict = verifyAgent(record, methodology, NOW);
      expect(verdict.comparisons.filter(({ agrees }) => !agrees)).to.deep.equal([]);
      expect(verdict.isOverdue).to.equal(false);
    }
  });

  it('is not added to by seeding again, however much later', async () => {
    const head = await market.events.head();
    const report = await seedMarket(market, SEEDS, '2027-06-01T00:00:00.000Z');
    expect(report).to.deep.include({ agencies: 12, agents: 42, bundles: 15 });
    expect(await market.events.head()).to.equal(head);
  });
});

describe('A seeding that is told to stop, again and again', () => {
  it('goes on where it was, and ends with the history of one that was left alone', async () => {
    const [alone, stopped] = [openMarket(), openMarket()];
    await seedMarket(alone, SEEDS, NOW);
    let runs = 0;
    for (let isOver = false; !isOver; runs += 1) {
      const stopping = new AbortController();
      const enough = Number(await stopped.events.head()) + STEP;
      const run: CommandRunner['run'] = async (...command) => {
        const outcome = await stopped.commands.run(...command);
        if (Number(await stopped.events.head()) >= enough) stopping.abort();
        return outcome;
      };
      const later = new Date(Date.parse(NOW) + runs * 90 * 60_000).toISOString();
      const parts = { commands: { ...stopped.commands, run } };
      isOver = (await seedMarket(parts, SEEDS, later, stopping.signal)) !== null;
    }
    expect(runs).to.be.greaterThan(3);
    expect(await historyOf(stopped)).to.deep.equal(await historyOf(alone));
  });
});

/** After so many new events it is told to stop. */
const STEP = 200;

/** Stream by stream: what is published side by side has no order between streams. */
async function historyOf({ events }: Market): Promise<readonly object[]> {
  const streams = new Map<string, object[]>();
  for await (const page of events.subscribe({ after: null, signal: new AbortController().signal })) {
    for (const { streamId, revision, type, at, data } of page.events) {
      streams.set(streamId, [...(streams.get(streamId) ?? []), { revision, type, at, data }]);
    }
    if (page.caughtUp) break;
  }
  return [...streams].sort(([a], [b]) => (a < b ? -1 : 1));
}

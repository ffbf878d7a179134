import { expect } from 'chai';
import { getAgent } from '../../../src/operations/directory/get-agent.ts';
import * as changes from '../../../src/operations/directory/writing/changes.ts';
import { rescoreDue } from '../../../src/operations/directory/writing/rescore-due.ts';
import { answered, done, type Market, openMarket } from '../../support/directory-market.ts';
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

const DUE = daysAfter(DAY_1, 50);

async function marketWith(...slugs: string[]): Promise<Market> {
  const market = openMarket();
  await done(changes.publishMethodology(methodology())(market.executorAt(DAY_1)));
  await done(changes.registerAgency('ledgerworks', profile())(market.executorAt(DAY_1)));
  for (const slug of slugs) {
    await done(changes.publishAgent(slug, { ...listing(), agency: 'ledgerworks' })(market.executorAt(DAY_1)));
    await done(changes.submitEvidence(slug, evidence('doc'))(market.executorAt(DAY_1)));
    await done(
      changes.recordAssessment(slug, finding('benchmark', 'pass', ['doc']))(market.executorAt(DAY_2)),
    );
  }
  await market.catchUp();
  return market;
}
const scoreOf = async (market: Market, slug: string) =>
  answered(await market.ask(getAgent, { slug })).data.verification.trustScore;

describe('Scores that are due', () => {
  it('are computed at the hour evidence expires, and not before', async () => {
    const market = await marketWith('a', 'b');
    const before = new Date(Date.parse(DUE) - 1).toISOString();
    expect(await rescoreDue(market, before)).to.deep.equal({ agents: [], nextAt: DUE });
    expect(await scoreOf(market, 'a')).to.equal(50);
    expect((await rescoreDue(market, DUE)).agents).to.have.members(['a', 'b']);
    expect(await scoreOf(market, 'a')).to.equal(0);
    expect(await rescoreDue(market, DUE)).to.deep.equal({ agents: [], nextAt: null });
  });

  it('are computed once, also by two nodes at a time whose views lag', async () => {
    const market = await marketWith('a');
    const head = await market.events.head();
    const both = await Promise.all([rescoreDue(market, DUE), rescoreDue(market, DUE)]);
    expect(both.flatMap(({ agents }) => agents)).to.deep.equal(['a']);
    expect(await rescoreDue(market, DUE)).to.deep.include({ agents: [] });
    expect(Number(await market.events.head())).to.equal(Number(head) + 1);
  });

  it('are computed by a new methodology, one event each, however many there are', async () => {
    const slugs = Array.from({ length: 120 }, (_, index) => `agent-${index}`);
    const market = await marketWith(...slugs);
    await done(changes.publishMethodology(methodology({ version: '1.1' }))(market.executorAt(DAY_2)));
    const head = Number(await market.events.head());
    expect((await rescoreDue(market, DAY_2)).agents).to.have.members(slugs);
    expect(Number(await market.events.head())).to.equal(head + slugs.length);
    await market.catchUp();
    expect((await rescoreDue(market, DAY_2)).agents).to.deep.equal([]);
  });

  it('concern suspended agents too, and retired ones no more', async () => {
    const market = await marketWith('suspended', 'retired');
    await done(
      changes.changeAgent('suspended', { type: 'SuspendAgent', reason: 'Silent.' })(market.executorAt(DAY_2)),
    );
    await done(
      changes.changeAgent('retired', { type: 'RetireAgent', reason: 'Gone.' })(market.executorAt(DAY_2)),
    );
    expect((await rescoreDue(market, DUE)).agents).to.deep.equal(['suspended']);
  });
});

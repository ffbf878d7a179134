import { expect } from 'chai';
import { createMemoryQueue } from '../contract/memory/queue.ts';
import { decodeEvent, type DomainEvent } from '../../events/catalog.ts';
import { failureKind } from '../../src/logging/failures.ts';
import { getAgent } from '../../src/operations/directory/get-agent.ts';
import { getVerification } from '../../src/operations/directory/get-verification.ts';
import * as changes from '../../src/operations/directory/writing/changes.ts';
import type { Services } from '../../src/operations/services.ts';
import { whenAgencyRevisedReviseListings } from '../../src/reactions/when-agency-revised-revise-listings.ts';
import { whenAgentScoredRescoreInTime } from '../../src/reactions/when-agent-scored-rescore-in-time.ts';
import { whenMethodologyPublishedRescoreAgents } from '../../src/reactions/when-methodology-published-rescore-agents.ts';
import { rescoreAgentInTime } from '../../src/tasks/rescore-agent.ts';
import { rescoreDueAgents } from '../../src/tasks/rescore-due-agents.ts';
import { answered, done, type Market, openMarket } from '../support/directory-market.ts';
import { rejectionOf } from '../support/rejection.ts';
import {
  DAY_1,
  DAY_2,
  daysAfter,
  evidence,
  finding,
  listing,
  methodology,
  profile,
} from '../support/sample-directory.ts';

const AGENTS = ['alpha', 'beta'];

async function marketWithAgents(): Promise<Market> {
  const market = openMarket();
  await done(changes.publishMethodology(methodology())(market.executorAt(DAY_1)));
  await done(changes.registerAgency('ledgerworks', profile())(market.executorAt(DAY_1)));
  for (const slug of AGENTS) {
    await done(changes.publishAgent(slug, { ...listing(), agency: 'ledgerworks' })(market.executorAt(DAY_1)));
  }
  await done(changes.submitEvidence('alpha', evidence('doc'))(market.executorAt(DAY_1)));
  await done(
    changes.recordAssessment('alpha', finding('benchmark', 'pass', ['doc']))(market.executorAt(DAY_1)),
  );
  return market;
}

/** What reactions are given: views that catch up when they are waited for, or never do. */
function servicesOf(market: Market, catchesUp = true): Services {
  const projector = {
    async reached(): Promise<boolean> {
      if (catchesUp) await market.catchUp();
      return catchesUp;
    },
  };
  // The reactions of the directory ask for nothing else.
  return { commands: market.commands, views: market.views, projector } as unknown as Services;
}

async function lastEvent(market: Market, streamId: string): Promise<DomainEvent> {
  for await (const event of market.events.read(streamId, { direction: 'backwards' }))
    return decodeEvent(event);
  throw new Error(`${streamId} is empty`);
}

describe('When a methodology is published', () => {
  it('every agent is scored by it, once however often the reaction runs', async () => {
    const market = await marketWithAgents();
    await done(changes.publishMethodology(methodology({ version: '1.1' }))(market.executorAt(DAY_2)));
    const reaction = whenMethodologyPublishedRescoreAgents(servicesOf(market));
    const event = await lastEvent(market, 'methodology-main');
    await reaction.react(event);
    const head = Number(await market.events.head());
    for (const slug of AGENTS) {
      const { data } = answered(await market.ask(getVerification, { slug }));
      expect(data).to.deep.include({ reason: 'methodology', scoredAt: DAY_2 });
      expect(data.methodology.version).to.equal('1.1');
    }
    await reaction.react(event);
    expect(Number(await market.events.head())).to.equal(head);
  });

  it('waits for the directory to have caught up, and is tried again', async () => {
    const market = await marketWithAgents();
    const reaction = whenMethodologyPublishedRescoreAgents(servicesOf(market, false));
    const error = await rejectionOf(reaction.react(await lastEvent(market, 'methodology-main')));
    // That it is behind is no alarm: /readyz tells of the reaction.
    expect(failureKind(error)).to.equal('behind');
  });
});

describe('When an agency takes another name', () => {
  it('its listings bear it, once however often the reaction runs', async () => {
    const market = await marketWithAgents();
    const renamed = { name: 'Ledgerworks Europe' };
    await done(
      changes.changeAgency('ledgerworks', { type: 'ReviseAgency', changes: renamed })(
        market.executorAt(DAY_2),
      ),
    );
    const reaction = whenAgencyRevisedReviseListings(servicesOf(market));
    const event = await lastEvent(market, 'agency-ledgerworks');
    await reaction.react(event);
    const head = Number(await market.events.head());
    for (const slug of AGENTS) {
      const { data } = answered(await market.ask(getAgent, { slug }));
      expect(data.agency).to.deep.equal({ slug: 'ledgerworks', ...renamed });
    }
    await reaction.react(event);
    expect(Number(await market.events.head())).to.equal(head);
  });

  it('of many names in a row its listings take the last alone', async () => {
    const market = await marketWithAgents();
    const reaction = whenAgencyRevisedReviseListings(servicesOf(market));
    const events: DomainEvent[] = [];
    for (const name of ['First', 'Second', 'Third']) {
      await done(
        changes.changeAgency('ledgerworks', { type: 'ReviseAgency', changes: { name } })(
          market.executorAt(DAY_2),
        ),
      );
      events.push(await lastEvent(market, 'agency-ledgerworks'));
    }
    const before = Number(await market.events.head());
    await market.ask(getAgent, { slug: 'alpha' });
    for (const event of events) await reaction.react(event);
    expect(Number(await market.events.head())).to.equal(before + AGENTS.length);
    const { data } = answered(await market.ask(getAgent, { slug: 'alpha' }));
    expect(data.agency.name).to.equal('Third');
  });
});

describe('When a score is good for less time than is between two looks for due ones', () => {
  const scored = async (validForMs: number): Promise<{ market: Market; event: DomainEvent; due: string }> => {
    const market = await marketWithAgents();
    const due = new Date(Date.parse(DAY_2) + validForMs).toISOString();
    const shortLived = evidence('short', { expiresAt: due });
    await done(changes.submitEvidence('beta', shortLived)(market.executorAt(DAY_2)));
    const passed = finding('benchmark', 'pass', ['short']);
    await done(changes.recordAssessment('beta', passed)(market.executorAt(DAY_2)));
    return { market, event: await lastEvent(market, 'agent-beta'), due };
  };

  it('it is computed anew at the moment it is due, once however often the reaction runs', async () => {
    const { market, event, due } = await scored(1_500);
    let nowMs = Date.parse(DAY_2);
    const queue = createMemoryQueue(() => nowMs);
    const reaction = whenAgentScoredRescoreInTime({ queue });
    await reaction.react(event);
    await reaction.react(event);
    const { name, run } = rescoreAgentInTime(market);
    expect(await queue.nextDueAtMs(name)).to.equal(Date.parse(due));
    nowMs = Date.parse(due);
    const tasks = await queue.claim(name, 10, 1_000);
    expect(tasks).to.have.length(1);
    const plan = { nowMs, retryAtMs: () => null, signal: new AbortController().signal };
    expect(await run(tasks[0]!, plan)).to.deep.equal({ kind: 'done' });
    expect((await lastEvent(market, 'agent-beta')).data).to.include({ reason: 'evidence_expired' });
    const { data } = answered(await market.ask(getVerification, { slug: 'beta' }));
    expect(data).to.include({ reason: 'evidence_expired', scoredAt: due });
    const head = await market.events.head();
    await run(tasks[0]!, plan);
    expect(await market.events.head()).to.equal(head);
  });

  it('it is not due a moment too early for a clock that is behind that of the queue', async () => {
    const { market, event, due } = await scored(1_500);
    const queue = createMemoryQueue(() => Date.parse(due));
    await whenAgentScoredRescoreInTime({ queue }).react(event);
    const { name, run } = rescoreAgentInTime(market);
    const [task] = await queue.claim(name, 1, 1_000);
    await run(task!, {
      nowMs: Date.parse(due) - 200,
      retryAtMs: () => null,
      signal: new AbortController().signal,
    });
    const { data } = answered(await market.ask(getVerification, { slug: 'beta' }));
    expect(data.scoredAt).to.equal(due);
  });

  it('and one that is good for longer is left to them', async () => {
    const { event } = await scored(10 * 60_000);
    const queue = createMemoryQueue(() => Date.parse(DAY_2));
    await whenAgentScoredRescoreInTime({ queue }).react(event);
    expect(await queue.nextDueAtMs('rescore-agent')).to.equal(null);
  });
});

describe('The task of due scores', () => {
  const runAt = async (market: Market, at: string) => {
    const nowMs = Date.parse(at);
    const task = { id: 'rescore-due-agents', name: 'rescore-due-agents', payload: '{}', attempts: 0 };
    // The task reads nothing of what it is called with but the time.
    const run = rescoreDueAgents(servicesOf(market)).run as (
      task: unknown,
      plan: unknown,
    ) => Promise<unknown>;
    return run(task, { nowMs, retryAtMs: () => null, signal: new AbortController().signal });
  };

  it('comes back at the hour of the next expiry, and each minute until then', async () => {
    const market = await marketWithAgents();
    await market.catchUp();
    const due = Date.parse(daysAfter(DAY_1, 50));
    expect(await runAt(market, DAY_2)).to.deep.equal({ kind: 'repeat', atMs: Date.parse(DAY_2) + 60_000 });
    const shortlyBefore = new Date(due - 1_000).toISOString();
    expect(await runAt(market, shortlyBefore)).to.deep.equal({ kind: 'repeat', atMs: due });
    await runAt(market, new Date(due).toISOString());
    const { data } = answered(await market.ask(getVerification, { slug: 'alpha' }));
    expect(data).to.include({ reason: 'evidence_expired', scoredAt: new Date(due).toISOString() });
  });
});

import { expect } from 'chai';
import { agentDecider } from '../../commands/agent/agent.ts';
import { SNAPSHOT_EVERY_EVENTS } from '../../commands/decider.ts';
import { MAX_EVIDENCE } from '../../commands/agent/submit-evidence.ts';
import { fold } from '../../commands/decider.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { countingEventStore } from '../support/counting-event-store.ts';
import { scenarios } from '../support/given-when-then.ts';
import { call } from '../support/run-commands.ts';
import {
  AGENT,
  assess,
  DAY_1,
  daysAfter,
  evidence,
  finding,
  lifeOf,
  publish,
  rescore,
  submit,
} from '../support/sample-directory.ts';

const given = scenarios(agentDecider);
/** Listed, assessed, and named anew each day. */
const revisions = (count: number, from = 3) =>
  Array.from(
    { length: count },
    (_, index) =>
      [daysAfter(DAY_1, from + index), publish({ tagline: `Matches invoices ${from + index}.` })] as const,
  );
const beginning = [
  [DAY_1, publish()],
  [DAY_1, submit(evidence('doc', { expiresAt: daysAfter(DAY_1, 400) }))],
  [daysAfter(DAY_1, 1), assess(finding('benchmark', 'pass', ['doc'], { note: 'As it says.' }))],
] as const;
const LATER = daysAfter(DAY_1, 390);

describe('The stream of an agent', () => {
  it('carries a snapshot once it has so many events, before the next fact', () => {
    const life = lifeOf(...beginning, ...revisions(SNAPSHOT_EVERY_EVENTS - 6));
    expect(life).to.have.lengthOf(SNAPSHOT_EVERY_EVENTS - 1);
    const [last, next] = revisions(2, 300);
    const before = agentDecider.decide(last![1], fold(agentDecider, life), last![0]);
    expect(before.ok && before.facts.map(({ type }) => type)).to.deep.equal(['AgentRevised']);
    const whole = lifeOf(...beginning, ...revisions(SNAPSHOT_EVERY_EVENTS - 6), last!);
    const due = agentDecider.decide(next![1], fold(agentDecider, whole), next![0]);
    expect(due.ok && due.facts.map(({ type }) => type)).to.deep.equal(['AgentCarried', 'AgentRevised']);
  });

  it('carries nothing where nothing changes', () => {
    const life = lifeOf(...beginning, ...revisions(SNAPSHOT_EVERY_EVENTS));
    given(...life)
      .when(rescore(), daysAfter(DAY_1, 20))
      .thenNothing();
  });

  it('is the same whether it is folded from its beginning or from any of its snapshots', () => {
    const life = lifeOf(...beginning, ...revisions(330));
    const snapshots = life.flatMap(({ type }, index) => (agentDecider.isSnapshot?.(type, {}) ? [index] : []));
    expect(snapshots).to.have.lengthOf(3);
    for (const place of snapshots)
      expect(fold(agentDecider, life.slice(place))).to.deep.equal(fold(agentDecider, life));
  });

  it('decides from a snapshot as it would from its whole history', () => {
    const whole = lifeOf(...beginning, ...revisions(330));
    const recent = whole.slice(whole.findLastIndex(({ type }) => agentDecider.isSnapshot?.(type, {})));
    const doc = evidence('doc', { expiresAt: daysAfter(DAY_1, 400) });
    for (const command of [
      submit(doc),
      submit({ ...doc, sha256: 'b'.repeat(64) }),
      submit(evidence('other')),
      assess(finding('benchmark', 'pass', ['doc'], { note: 'As it says.' })),
      assess(finding('benchmark', 'fail', ['doc'])),
      assess(finding('benchmark', 'pass', ['gone'])),
      rescore(),
      publish({ autonomyLevel: 4 }),
      { type: 'SuspendAgent', reason: 'Silent.' } as const,
      { type: 'ResumeAgent' } as const,
      { type: 'RetireAgent', reason: 'Replaced.' } as const,
    ])
      expect(agentDecider.decide(command, fold(agentDecider, recent), LATER), command.type).to.deep.equal(
        agentDecider.decide(command, fold(agentDecider, whole), LATER),
      );
  });

  it('carries what is suspended as suspended', () => {
    const suspended = lifeOf(
      ...beginning,
      ...revisions(SNAPSHOT_EVERY_EVENTS),
      [daysAfter(DAY_1, 200), { type: 'SuspendAgent', reason: 'Silent.' }],
      ...revisions(SNAPSHOT_EVERY_EVENTS, 201),
    );
    const recent = suspended.slice(
      suspended.findLastIndex(({ type }) => agentDecider.isSnapshot?.(type, {})),
    );
    expect(fold(agentDecider, recent)).to.include({ status: 'suspended' });
  });

  it('is read back to its last snapshot and no further, however long it is', async () => {
    const events = memoryEventStore();
    const writing = createCommandRunner(events);
    for (const [at, command] of [...beginning, ...revisions(330)])
      await writing.run(agentDecider, AGENT, command, call({ at }));
    const counting = countingEventStore(events);
    await createCommandRunner(counting).load(agentDecider, AGENT, LATER);
    expect(counting.eventsRead()).to.be.at.most(SNAPSHOT_EVERY_EVENTS + 2);
  });

  it('carries no snapshot that an append could not hold', () => {
    const checks = Array.from({ length: 100 }, (_, index) => `check-${index}`);
    const state = fold(agentDecider, lifeOf(...beginning, ...revisions(SNAPSHOT_EVERY_EVENTS)));
    if (state.status === 'absent') throw new Error('it is listed');
    const findings = checks.map((check) => ({
      ...finding(check, 'fail', [], { note: 'x'.repeat(5_000) }),
      assessedAt: DAY_1,
    }));
    const heavy = {
      ...state,
      eventsSinceSnapshot: 500,
      findings: new Map(findings.map((one) => [one.check, one])),
    };
    const decision = agentDecider.decide({ type: 'SuspendAgent', reason: 'Silent.' }, heavy, LATER);
    expect(decision.ok && decision.facts.map(({ type }) => type)).to.deep.equal(['AgentSuspended']);
  });
});

describe('The evidence about an agent', () => {
  const full = lifeOf(
    [DAY_1, publish()],
    ...Array.from({ length: MAX_EVIDENCE }, (_, index) => [DAY_1, submit(evidence(`doc-${index}`))] as const),
  );

  it('is of so many pieces at most', () => {
    given(...full)
      .when(submit(evidence('one-more')), LATER)
      .thenRejected({ kind: 'evidence_full', limit: MAX_EVIDENCE });
    given(...full.slice(0, -1))
      .when(submit(evidence('one-more')), LATER)
      .thenFacts({ type: 'EvidenceSubmitted', data: { agent: AGENT, evidence: evidence('one-more') } });
  });

  it('may be put on record again when there is no more room', () => {
    given(...full)
      .when(submit(evidence('doc-0')), LATER)
      .thenNothing();
  });
});

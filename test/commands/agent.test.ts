import { expect } from 'chai';
import { agentDecider } from '../../commands/agent/agent.ts';
import { fold } from '../../commands/decider.ts';
import { scenarios } from '../support/given-when-then.ts';
import {
  AGENT,
  assess,
  DAY_1,
  DAY_2,
  DAY_3,
  daysAfter,
  evidence,
  finding,
  inForce,
  lifeOf,
  listing,
  methodology,
  publish,
  rescore,
  submit,
} from '../support/sample-directory.ts';

const given = scenarios(agentDecider);
const listed = lifeOf([DAY_1, publish()]);
const onRecord = lifeOf([DAY_1, publish()], [DAY_1, submit(evidence('doc'))]);
const passed = lifeOf(
  [DAY_1, publish()],
  [DAY_1, submit(evidence('doc'))],
  [DAY_2, assess(finding('benchmark', 'pass', ['doc']))],
);
const retired = lifeOf([DAY_1, publish()], [DAY_2, { type: 'RetireAgent', reason: 'Replaced.' }]);
const suspended = lifeOf([DAY_1, publish()], [DAY_2, { type: 'SuspendAgent', reason: 'Silent.' }]);

/** The facts that a command adds to a history. */
function factsOf(history: typeof listed, command: Parameters<typeof agentDecider.decide>[0], at: string) {
  const decision = agentDecider.decide(command, fold(agentDecider, history), at);
  if (!decision.ok) throw new Error(JSON.stringify(decision.rejection));
  return decision.facts;
}
const typesOf = (facts: readonly { readonly type: string }[]) => facts.map(({ type }) => type);

describe('A listing is published', () => {
  it('with its first score', () => {
    const [published, scored] = factsOf([], publish(), DAY_1);
    expect(published).to.deep.equal({ type: 'AgentPublished', data: { agent: AGENT, listing: listing() } });
    expect(scored?.data).to.include({ trustScore: 0, tier: 'unverified', reason: 'published' });
  });

  it('once: the same listing again changes nothing', () => {
    given(...listed)
      .when(publish(), DAY_2)
      .thenNothing();
  });

  it('again where it differs, as a revision without a new score', () => {
    given(...listed)
      .when(publish({ tagline: 'Matches more.' }), DAY_2)
      .thenFacts({
        type: 'AgentRevised',
        data: { agent: AGENT, listing: listing({ tagline: 'Matches more.' }) },
      });
  });

  it('again over one with half a character, from before that was refused', () => {
    given(...lifeOf([DAY_1, publish({ tagline: 'Matches \ud83d' })]))
      .when(publish(), DAY_2)
      .thenFacts({ type: 'AgentRevised', data: { agent: AGENT, listing: listing() } });
  });

  it('with a new score where the autonomy level changes: other checks apply', () => {
    const facts = factsOf(listed, publish({ autonomyLevel: 4 }), DAY_2);
    expect(typesOf(facts)).to.deep.equal(['AgentRevised', 'AgentScored']);
    expect(facts[1]?.data).to.include({ reason: 'revised', possiblePoints: 100 });
  });

  it('by the agency it belongs to and no other', () => {
    given(...listed)
      .when(publish({ agency: { slug: 'rival', name: 'Rival' } }), DAY_2)
      .thenRejected({ kind: 'agency_changed', agency: 'ledgerworks' });
  });

  it('never again once it is retired', () => {
    given(...retired)
      .when(publish(), DAY_3)
      .thenRejected({ kind: 'retired' });
  });

  it('and revised in part', () => {
    given(...listed)
      .when({ type: 'ReviseAgent', changes: { name: 'Matcher' }, methodology: inForce() }, DAY_2)
      .thenFacts({ type: 'AgentRevised', data: { agent: AGENT, listing: listing({ name: 'Matcher' }) } });
  });
});

describe('A listing is suspended, resumed and retired', () => {
  it('suspends for a public reason, once', () => {
    given(...listed)
      .when({ type: 'SuspendAgent', reason: 'Silent.' }, DAY_2)
      .thenFacts({
        type: 'AgentSuspended',
        data: { agent: AGENT, agency: 'ledgerworks', reason: 'Silent.' },
      });
    given(...suspended)
      .when({ type: 'SuspendAgent', reason: 'Other.' }, DAY_3)
      .thenNothing();
  });

  it('resumes what is suspended and nothing else', () => {
    given(...suspended)
      .when({ type: 'ResumeAgent' }, DAY_3)
      .thenFacts({ type: 'AgentResumed', data: { agent: AGENT, agency: 'ledgerworks' } });
    given(...listed)
      .when({ type: 'ResumeAgent' }, DAY_3)
      .thenNothing();
  });

  it('retires nothing that is not listed', () => {
    given().when({ type: 'RetireAgent', reason: 'x' }, DAY_3).thenRejected({ kind: 'absent' });
  });

  it('retires for good, once', () => {
    given(...suspended)
      .when({ type: 'RetireAgent', reason: 'Replaced.' }, DAY_3)
      .thenFacts({
        type: 'AgentRetired',
        data: { agent: AGENT, agency: 'ledgerworks', name: 'Invoice Matcher', reason: 'Replaced.' },
      });
    given(...retired)
      .when({ type: 'RetireAgent', reason: 'Again.' }, DAY_3)
      .thenNothing();
  });

  for (const command of [
    { type: 'SuspendAgent', reason: 'x' },
    { type: 'ResumeAgent' },
    submit(evidence('doc')),
    assess(finding('identity', 'fail', [])),
    rescore(),
  ] as const) {
    it(`refuses ${command.type} to a retired agent`, () => {
      given(...retired)
        .when(command, DAY_3)
        .thenRejected({ kind: 'retired' });
    });
    it(`refuses ${command.type} to an agent that is not listed`, () => {
      given().when(command, DAY_3).thenRejected({ kind: 'absent' });
    });
  }
});

describe('Evidence is put on record', () => {
  it('once, and its content never changes', () => {
    const doc = evidence('doc');
    given(...listed)
      .when(submit(doc), DAY_2)
      .thenFacts({ type: 'EvidenceSubmitted', data: { agent: AGENT, evidence: doc } });
    given(...onRecord)
      .when(submit(doc), DAY_2)
      .thenNothing();
    given(...onRecord)
      .when(submit({ ...doc, sha256: 'b'.repeat(64) }), DAY_2)
      .thenRejected({ kind: 'evidence_differs', evidence: 'doc' });
  });

  it('not from the future, and not ending before it begins', () => {
    given(...listed)
      .when(submit(evidence('doc', { issuedAt: DAY_3 })), DAY_2)
      .thenRejected({ kind: 'evidence_dates', evidence: 'doc', message: 'issuedAt lies in the future' });
    given(...listed)
      .when(submit(evidence('doc', { expiresAt: DAY_1 })), DAY_2)
      .thenRejected({
        kind: 'evidence_dates',
        evidence: 'doc',
        message: 'expiresAt must be later than issuedAt',
      });
  });
});

describe('A finding is recorded', () => {
  it('with the score that follows from it', () => {
    const assessment = finding('benchmark', 'pass', ['doc']);
    const [recorded, scored, ...more] = factsOf(onRecord, assess(assessment), DAY_2);
    expect(recorded).to.deep.equal({ type: 'AssessmentRecorded', data: { agent: AGENT, assessment } });
    expect(scored?.data).to.include({
      trustScore: 50,
      tier: 'listed',
      reason: 'assessment',
      validUntil: daysAfter(DAY_1, 50),
    });
    expect(more).to.deep.equal([]);
  });

  it('once: the same finding again changes nothing', () => {
    given(...passed)
      .when(assess(finding('benchmark', 'pass', ['doc'])), DAY_3)
      .thenNothing();
  });

  it('in place of the earlier one', () => {
    const facts = factsOf(
      passed,
      assess(finding('benchmark', 'fail', [], { note: 'Not repeatable.' })),
      DAY_3,
    );
    expect(facts[1]?.data).to.include({ trustScore: 0 });
  });

  it('only for a check that the methodology has', () => {
    given(...onRecord)
      .when(assess(finding('constructor', 'pass', ['doc'])), DAY_2)
      .thenRejected({ kind: 'unknown_check', check: 'constructor', version: '1.0' });
  });

  it('only on evidence that is on record', () => {
    given(...onRecord)
      .when(assess(finding('identity', 'pass', ['doc', 'constructor'])), DAY_2)
      .thenRejected({ kind: 'unknown_evidence', evidence: ['constructor'] });
  });

  it('as a pass only on evidence of a kind that the check accepts', () => {
    const rejection = {
      kind: 'evidence_missing',
      check: 'identity',
      accepted: ['policy', 'audit_report'],
    } as const;
    given(...onRecord)
      .when(assess(finding('identity', 'pass', [])), DAY_2)
      .thenRejected(rejection);
    const history = lifeOf([DAY_1, publish()], [DAY_1, submit(evidence('run', { kind: 'test_run' }))]);
    given(...history)
      .when(assess(finding('identity', 'partial', ['run'])), DAY_2)
      .thenRejected(rejection);
  });

  it('not by a methodology that is no longer in force', () => {
    const newer = inForce({ version: '1.1' });
    const history = lifeOf([DAY_1, publish()], [DAY_1, submit(evidence('doc'))], [DAY_2, rescore(newer)]);
    given(...history)
      .when(assess(finding('identity', 'pass', ['doc'])), DAY_3)
      .thenRejected({ kind: 'methodology_outdated', version: '1.0' });
  });
});

describe('A score is computed anew', () => {
  it('as one event when evidence has expired, and then not again', () => {
    const hour = daysAfter(DAY_1, 50);
    const facts = factsOf(passed, rescore(), hour);
    expect(typesOf(facts)).to.deep.equal(['AgentScored']);
    expect(facts[0]?.data).to.include({ trustScore: 0, tier: 'unverified', reason: 'evidence_expired' });
    const expired = lifeOf(
      [DAY_1, publish()],
      [DAY_1, submit(evidence('doc'))],
      [DAY_2, assess(finding('benchmark', 'pass', ['doc']))],
      [hour, rescore()],
    );
    given(...expired)
      .when(rescore(), daysAfter(hour, 1))
      .thenNothing();
  });

  it('once evidence has expired by its own words, before the validity of its check is over', () => {
    const history = lifeOf(
      [DAY_1, publish()],
      [DAY_1, submit(evidence('doc', { expiresAt: DAY_3 }))],
      [DAY_2, assess(finding('benchmark', 'pass', ['doc']))],
    );
    const [scored] = factsOf(history, rescore(), DAY_3);
    expect(scored?.data).to.include({ trustScore: 0, reason: 'evidence_expired' });
  });

  it('not before anything has changed', () => {
    given(...passed)
      .when(rescore(), DAY_3)
      .thenNothing();
  });

  it('as one event by a new methodology, also where the number stays the same', () => {
    const newer = inForce({ version: '1.1' });
    const facts = factsOf(listed, rescore(newer), DAY_2);
    expect(typesOf(facts)).to.deep.equal(['AgentScored']);
    expect(facts[0]?.data).to.include({ trustScore: 0, reason: 'methodology' });
    given(...lifeOf([DAY_1, publish()], [DAY_2, rescore(newer)]))
      .when(rescore(newer), DAY_3)
      .thenNothing();
  });

  it('never back to an earlier methodology', () => {
    given(...lifeOf([DAY_1, publish()], [DAY_2, rescore(inForce({ version: '1.10' }))]))
      .when(rescore(inForce({ version: '1.9' })), DAY_3)
      .thenNothing();
  });

  it('with weights of the new version on findings of the old', () => {
    const checks = methodology().checks.map((one) => (one.id === 'benchmark' ? { ...one, weight: 70 } : one));
    const facts = factsOf(passed, rescore(inForce({ version: '2.0', checks })), DAY_3);
    expect(facts[0]?.data).to.include({ trustScore: 70 });
  });
});

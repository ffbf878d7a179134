import { expect } from 'chai';
import type { Finding } from '../../commands/scoring.ts';
import { scoreAgent, type ScoringInput } from '../../commands/scoring.ts';
import { check, DAY_1, DAY_2, daysAfter, evidence, finding, inForce } from '../support/sample-directory.ts';

type Result = Finding['result'];

/** The score of an agent with these findings, each resting on evidence of DAY_1. */
function score(results: Record<string, Result>, overrides: Partial<ScoringInput> = {}) {
  const findings = Object.entries(results).map(([id, result]): [string, Finding] => [
    id,
    { ...finding(id, result, [id]), assessedAt: DAY_2 },
  ]);
  return scoreAgent({
    methodology: inForce(),
    autonomyLevel: 3,
    findings: new Map(findings),
    evidence: new Map(Object.keys(results).map((id) => [id, evidence(id)])),
    at: DAY_2,
    ...overrides,
  });
}

const resultOf = (scored: ReturnType<typeof score>, id: string) =>
  scored.checks.find((one) => one.id === id)?.result;

describe('A trust score is arithmetic on findings', () => {
  it('is 0 where nothing was assessed, with what would change each check', () => {
    const scored = score({});
    expect(scored).to.include({ trustScore: 0, tier: 'unverified', earnedPoints: 0, possiblePoints: 60 });
    expect(scored.checks.map(({ result }) => result)).to.deep.equal([
      'not_assessed',
      'not_assessed',
      'not_assessed',
      'not_applicable',
    ]);
    expect(scored.checks[1]?.toPass).to.equal(
      'A document about retention. Accepted: policy or audit report, issued within the last 100 days.',
    );
    expect(scored.checks[3]?.toPass).to.equal(null);
  });

  it('earns the whole weight for a pass, half for a partial, nothing for a fail', () => {
    const scored = score({ identity: 'pass', retention: 'partial', benchmark: 'fail' });
    expect(scored.checks.map(({ points }) => points)).to.deep.equal([10, 10, 0, 0]);
    expect(scored.trustScore).to.equal(33);
  });

  it('rounds a half up', () => {
    const rules = inForce({ checks: [check('identity', { weight: 1 }), check('approval', { weight: 7 })] });
    expect(score({ identity: 'pass' }, { methodology: rules })).to.include({ trustScore: 13 });
  });

  it('says what the score would be if a check passed', () => {
    const scored = score({ identity: 'pass', retention: 'partial' });
    expect(scored.checks.map(({ scoreIfPassed }) => scoreIfPassed)).to.deep.equal([null, 50, 83, null]);
  });

  it('asks only what applies to the autonomy level', () => {
    const all: Record<string, Result> = { identity: 'pass', retention: 'pass', benchmark: 'pass' };
    expect(score(all)).to.include({ trustScore: 100, possiblePoints: 60 });
    expect(score(all, { autonomyLevel: 4 })).to.include({ trustScore: 60, possiblePoints: 100 });
  });
});

describe('A tier follows from score and required checks', () => {
  it('is the highest whose minimum is reached', () => {
    expect(score({ retention: 'pass' }).tier).to.equal('listed');
    expect(score({ identity: 'pass', benchmark: 'pass' }).tier).to.equal('verified');
  });

  it('is reached by just its minimum', () => {
    expect(score({ identity: 'pass', retention: 'pass' })).to.include({ trustScore: 50, tier: 'verified' });
  });

  it('needs the required checks to pass, whatever the score', () => {
    expect(score({ retention: 'pass', benchmark: 'pass' })).to.include({ trustScore: 83, tier: 'listed' });
    expect(score({ identity: 'partial', retention: 'pass', benchmark: 'pass' }).tier).to.equal('listed');
  });

  it('does not need a required check that does not apply', () => {
    const all: Record<string, Result> = { identity: 'pass', retention: 'pass', benchmark: 'pass' };
    expect(score(all, { autonomyLevel: 3 }).tier).to.equal('audited');
    expect(score({ ...all, approval: 'partial' }, { autonomyLevel: 4 }).tier).to.equal('verified');
  });
});

describe('Evidence expires', () => {
  it('after the validity of the check, counted from when it was issued', () => {
    const end = daysAfter(DAY_1, 50);
    const justBefore = new Date(Date.parse(end) - 1).toISOString();
    expect(resultOf(score({ benchmark: 'pass' }, { at: justBefore }), 'benchmark')).to.equal('pass');
    const scored = score({ benchmark: 'pass' }, { at: end });
    expect(resultOf(scored, 'benchmark')).to.equal('not_assessed');
    expect(scored.checks[2]?.finding?.result).to.equal('pass');
    expect(scored.checks[2]?.toPass).to.match(/^The evidence expired on 2026-02-20\. /);
  });

  it('by its own words, where that is earlier', () => {
    const expiresAt = daysAfter(DAY_1, 10);
    const own = { evidence: new Map([['benchmark', evidence('benchmark', { expiresAt })]]), at: expiresAt };
    expect(resultOf(score({ benchmark: 'pass' }, own), 'benchmark')).to.equal('not_assessed');
  });

  it('never, for a check without validity and evidence without end', () => {
    expect(resultOf(score({ identity: 'pass' }, { at: daysAfter(DAY_1, 9_000) }), 'identity')).to.equal(
      'pass',
    );
  });

  it('ends a finding with the first of its evidence', () => {
    const pieces = new Map([
      ['a', evidence('a', { expiresAt: daysAfter(DAY_1, 30) })],
      ['b', evidence('b', { expiresAt: daysAfter(DAY_1, 20) })],
    ]);
    const findings = new Map([
      ['identity', { ...finding('identity', 'pass', ['a', 'b']), assessedAt: DAY_2 }],
    ]);
    const scored = score({}, { findings, evidence: pieces });
    expect(scored.validUntil).to.equal(daysAfter(DAY_1, 20));
  });

  it('makes the score due when the next finding that counts expires', () => {
    const scored = score({ retention: 'pass', benchmark: 'pass' });
    expect(scored.validUntil).to.equal(daysAfter(DAY_1, 50));
    expect(score({ retention: 'pass', benchmark: 'pass' }, { at: daysAfter(DAY_1, 60) }).validUntil).to.equal(
      daysAfter(DAY_1, 100),
    );
    expect(score({}).validUntil).to.equal(null);
  });
});

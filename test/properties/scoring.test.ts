import { expect } from 'chai';
import fc from 'fast-check';
import { type Finding, scoreAgent, type ScoringInput } from '../../commands/scoring.ts';
import { TIERS } from '../../events/agent-score.ts';
import {
  check,
  DAY_1,
  daysAfter,
  evidence,
  finding,
  inForce,
  methodology,
} from '../support/sample-directory.ts';

const RESULTS = ['fail', 'partial', 'pass'] as const;
const { tiers } = methodology();

interface Drawn {
  readonly weight: number;
  readonly validityDays: number | null;
  readonly appliesFromAutonomyLevel: number;
  readonly result: (typeof RESULTS)[number] | null;
  readonly ageDays: number;
  readonly isRequired: boolean;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  weight: fc.integer({ min: 1, max: 100 }),
  validityDays: fc.option(fc.integer({ min: 1, max: 400 })),
  appliesFromAutonomyLevel: fc.integer({ min: 1, max: 5 }),
  result: fc.option(fc.constantFrom(...RESULTS)),
  ageDays: fc.integer({ min: 0, max: 400 }),
  isRequired: fc.boolean(),
});
const drawnChecks = fc.array(drawn, { minLength: 1, maxLength: 20 });
const level = fc.integer({ min: 1, max: 5 });
const NOW = daysAfter(DAY_1, 500);

function inputOf(checks: readonly Drawn[], autonomyLevel: number, at = NOW): ScoringInput {
  const name = (index: number): string => `check-${index}`;
  const required = checks.flatMap(({ isRequired }, index) => (isRequired ? [name(index)] : []));
  const findings = checks.flatMap(({ result }, index): [string, Finding][] =>
    result === null
      ? []
      : [[name(index), { ...finding(name(index), result, [name(index)]), assessedAt: NOW }]],
  );
  return {
    methodology: inForce({
      checks: checks.map(({ weight, validityDays, appliesFromAutonomyLevel }, index) =>
        check(name(index), { weight, validityDays, appliesFromAutonomyLevel }),
      ),
      tiers: tiers.map((tier, index) => ({ ...tier, requiredChecks: index < 2 ? [] : required })),
    }),
    autonomyLevel,
    findings: new Map(findings),
    evidence: new Map(
      checks.map(({ ageDays }, index) => [
        name(index),
        evidence(name(index), { issuedAt: daysAfter(NOW, -ageDays) }),
      ]),
    ),
    at,
  };
}
const rank = (tier: (typeof TIERS)[number]): number => TIERS.indexOf(tier);

describe('A trust score, whatever the methodology and findings', () => {
  it('lies between 0 and 100, and is 100 only where every check that applies passes', () => {
    fc.assert(
      fc.property(drawnChecks, level, (checks, autonomyLevel) => {
        const score = scoreAgent(inputOf(checks, autonomyLevel));
        const applying = score.checks.filter(({ result }) => result !== 'not_applicable');
        expect(score.trustScore).to.be.within(0, 100);
        const isFull = applying.length > 0 && applying.every(({ result }) => result === 'pass');
        expect(score.earnedPoints === score.possiblePoints && applying.length > 0).to.equal(isFull);
        if (isFull) expect(score.trustScore).to.equal(100);
      }),
    );
  });

  it('never falls, and neither does the tier, when one finding gets better', () => {
    fc.assert(
      fc.property(drawnChecks, level, fc.nat(), (checks, autonomyLevel, which) => {
        const index = which % checks.length;
        const better = checks.map((one, place) => {
          if (place !== index) return one;
          const step = one.result === null ? 0 : RESULTS.indexOf(one.result) + 1;
          return { ...one, result: RESULTS[Math.min(step, 2)] ?? 'pass' };
        });
        const [before, after] = [checks, better].map((some) => scoreAgent(inputOf(some, autonomyLevel)));
        expect(after?.trustScore).to.be.at.least(before?.trustScore ?? 0);
        expect(rank(after?.tier ?? 'unverified')).to.be.at.least(rank(before?.tier ?? 'unverified'));
      }),
    );
  });

  it('never rises as time passes', () => {
    fc.assert(
      fc.property(drawnChecks, level, fc.integer({ min: 1, max: 400 }), (checks, autonomyLevel, days) => {
        const now = scoreAgent(inputOf(checks, autonomyLevel));
        const later = scoreAgent(inputOf(checks, autonomyLevel, daysAfter(NOW, days)));
        expect(later.trustScore).to.be.at.most(now.trustScore);
        expect(rank(later.tier)).to.be.at.most(rank(now.tier));
      }),
    );
  });

  it('stays the same until validUntil and is due just then', () => {
    fc.assert(
      fc.property(drawnChecks, level, (checks, autonomyLevel) => {
        const now = scoreAgent(inputOf(checks, autonomyLevel));
        if (now.validUntil === null) {
          const muchLater = scoreAgent(inputOf(checks, autonomyLevel, daysAfter(NOW, 3_000)));
          expect(muchLater.trustScore).to.equal(now.trustScore);
          return;
        }
        const justBefore = new Date(Date.parse(now.validUntil) - 1).toISOString();
        const before = scoreAgent(inputOf(checks, autonomyLevel, justBefore));
        const due = scoreAgent(inputOf(checks, autonomyLevel, now.validUntil));
        expect(before.checks.map(({ result }) => result)).to.deep.equal(
          now.checks.map(({ result }) => result),
        );
        expect(due.checks.map(({ result }) => result)).not.to.deep.equal(
          now.checks.map(({ result }) => result),
        );
      }),
    );
  });

  it('becomes what scoreIfPassed says when that check passes', () => {
    fc.assert(
      fc.property(drawnChecks, level, fc.nat(), (checks, autonomyLevel, which) => {
        const index = which % checks.length;
        const promised = scoreAgent(inputOf(checks, autonomyLevel)).checks[index]?.scoreIfPassed ?? null;
        if (promised === null) return;
        const passed = checks.map((one, place) =>
          place === index ? { ...one, result: 'pass' as const, ageDays: 0 } : one,
        );
        expect(scoreAgent(inputOf(passed, autonomyLevel)).trustScore).to.equal(promised);
      }),
    );
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { digestOf } from '../../events/methodology-document.ts';
import { methodologies } from '../../projections/methodologies.ts';
import { replay } from '../../projections/replay.ts';
import { verificationRecords } from '../../projections/verification-records.ts';
import { inLogOrder } from '../../src/operations/directory/example-history.ts';
import { verifyAgent } from '../../src/verifying/verify-agent.ts';
import { agentEvents, methodologyEvents } from '../support/directory-history.ts';
import {
  AGENT,
  assess,
  DAY_1,
  DAY_2,
  daysAfter,
  evidence,
  finding,
  methodology,
  publish,
  rescore,
  submit,
} from '../support/sample-directory.ts';

type Json = { [name: string]: Json } & Json[];

/** The two public documents, as text that went over a wire. */
function documentsAfter(...commands: Parameters<typeof agentEvents>): { record: Json; rules: Json } {
  const history = inLogOrder(methodologyEvents([DAY_1, methodology()]), agentEvents(...commands));
  const record = replay(verificationRecords, history).get(AGENT);
  const rules = replay(methodologies, history).get('current');
  return { record: JSON.parse(JSON.stringify(record)), rules: JSON.parse(JSON.stringify(rules)) };
}

const history: Parameters<typeof agentEvents> = [
  [DAY_1, publish()],
  [DAY_1, submit(evidence('doc'))],
  [DAY_1, submit(evidence('other', { expiresAt: daysAfter(DAY_1, 200) }))],
  [DAY_2, assess(finding('benchmark', 'pass', ['doc']))],
  [DAY_2, assess(finding('identity', 'pass', ['other']))],
  [DAY_2, assess(finding('retention', 'partial', ['doc', 'other'], { note: 'Half of it.' }))],
];
const differing = (verdict: ReturnType<typeof verifyAgent>) =>
  verdict.comparisons.filter(({ agrees }) => !agrees).map(({ what }) => what);

describe('Recomputing a score from the two public documents', () => {
  it('agrees with what was published, before and after an expiry', () => {
    for (const commands of [history, [...history, [daysAfter(DAY_1, 50), rescore()] as const]]) {
      const { record, rules } = documentsAfter(...commands);
      const verdict = verifyAgent(record, rules, DAY_2);
      expect(differing(verdict)).to.deep.equal([]);
      expect(verdict).to.include({ agrees: true, agent: AGENT, methodologyVersion: '1.0' });
    }
  });

  it('says when evidence has expired since', () => {
    const { record, rules } = documentsAfter(...history);
    expect(verifyAgent(record, rules, daysAfter(DAY_1, 49)).isOverdue).to.equal(false);
    expect(verifyAgent(record, rules, daysAfter(DAY_1, 50)).isOverdue).to.equal(true);
  });

  /** Each lie is told with a fresh digest, so that only the arithmetic can find it. */
  const lies: Record<string, (record: Json, rules: Json) => void> = {
    trustScore: (record) => Object.assign(record, { trustScore: 99 }),
    tier: (record) => Object.assign(record, { tier: 'audited' }),
    earnedPoints: (record) => Object.assign(record, { earnedPoints: 60 }),
    'checks.retention.points': (record) => Object.assign(record.checks?.[1] ?? {}, { points: 20 }),
    'checks.retention.result': (record) => Object.assign(record.checks?.[1] ?? {}, { result: 'pass' }),
    'checks.benchmark.weight': (record) => Object.assign(record.checks?.[2] ?? {}, { weight: 31 }),
  };
  for (const [what, tell] of Object.entries(lies)) {
    it(`finds a lie about ${what}`, () => {
      const { record, rules } = documentsAfter(...history);
      tell(record, rules);
      record.digest = digestOf(record) as unknown as Json;
      expect(differing(verifyAgent(record, rules, DAY_2))).to.deep.equal([what]);
    });
  }

  it('finds a check that was left out', () => {
    const { record, rules } = documentsAfter(...history);
    record.checks = record.checks?.slice(1) as Json;
    record.digest = digestOf(record) as unknown as Json;
    expect(differing(verifyAgent(record, rules, DAY_2))).to.include('checks');
  });

  it('finds another methodology than the one that was scored by', () => {
    const { record, rules } = documentsAfter(...history);
    Object.assign(rules.checks?.[2] ?? {}, { weight: 90 });
    rules.digest = digestOf(rules) as unknown as Json;
    expect(differing(verifyAgent(record, rules, DAY_2))).to.include('methodology');
  });

  it('finds any change of a text by the digest', () => {
    const { record, rules } = documentsAfter(...history);
    Object.assign(record.checks?.[1]?.finding ?? {}, { note: 'All of it.' });
    expect(differing(verifyAgent(record, rules, DAY_2))).to.deep.equal(['digest']);
  });

  it('agrees whatever was found, at whatever time', () => {
    const anyFinding = fc.record({
      check: fc.constantFrom('identity', 'retention', 'benchmark', 'approval'),
      result: fc.constantFrom('pass', 'partial', 'fail'),
      ids: fc.subarray(['doc', 'other'], { minLength: 1 }),
      day: fc.integer({ min: 0, max: 250 }),
    });
    fc.assert(
      fc.property(
        fc.array(anyFinding, { maxLength: 8 }),
        fc.integer({ min: 1, max: 5 }),
        (findings, autonomyLevel) => {
          const inTime = findings.toSorted((a, b) => a.day - b.day);
          const { record, rules } = documentsAfter(
            [DAY_1, publish({ autonomyLevel })],
            [DAY_1, submit(evidence('doc'))],
            [DAY_1, submit(evidence('other', { expiresAt: daysAfter(DAY_1, 120) }))],
            ...inTime.map(
              ({ check, result, ids, day }) =>
                [daysAfter(DAY_1, day), assess(finding(check, result, ids))] as const,
            ),
            [daysAfter(DAY_1, 251), rescore()],
          );
          expect(differing(verifyAgent(record, rules, DAY_2))).to.deep.equal([]);
        },
      ),
      { numRuns: 60 },
    );
  });
});

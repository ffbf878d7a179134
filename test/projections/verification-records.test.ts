import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { canonicalJson } from '../../events/canonical-json.ts';
import { replay } from '../../projections/replay.ts';
import { verificationDocument } from '../../projections/verification-document.ts';
import { verificationRecords } from '../../projections/verification-records.ts';
import { inLogOrder } from '../../src/operations/directory/example-history.ts';
import { agentEvents } from '../support/directory-history.ts';
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
  publish,
  rescore,
  submit,
} from '../support/sample-directory.ts';

function recordAfter(...commands: Parameters<typeof agentEvents>) {
  return replay(verificationRecords, inLogOrder(agentEvents(...commands))).get(AGENT);
}

const doc = evidence('doc');
const published = [DAY_1, publish()] as const;
const assessed = [
  published,
  [DAY_1, submit(doc)],
  [DAY_1, submit(evidence('other'))],
  [DAY_2, assess(finding('benchmark', 'partial', ['doc'], { note: 'Half of it.' }))],
] as const;

describe('A verification record', () => {
  it('shows every check with its result, points and evidence', () => {
    const record = recordAfter(...assessed);
    expect(verificationDocument.parse(JSON.parse(JSON.stringify(record)))).to.deep.equal(record);
    expect(record?.checks.map(({ id }) => id)).to.deep.equal([
      'identity',
      'retention',
      'benchmark',
      'approval',
    ]);
    expect(record?.checks[2]).to.deep.include({
      result: 'partial',
      points: 15,
      evidence: [doc],
      scoreIfPassed: 50,
    });
    expect(record?.checks[2]?.finding).to.deep.equal({
      result: 'partial',
      assessedBy: 'The desk',
      assessedAt: DAY_2,
      note: 'Half of it.',
      validUntil: daysAfter(DAY_1, 50),
    });
  });

  it('shows evidence that nothing rests on beside the checks', () => {
    expect(recordAfter(...assessed)?.otherEvidence.map(({ id }) => id)).to.deep.equal(['other']);
    const replaced = recordAfter(...assessed, [DAY_3, assess(finding('benchmark', 'pass', ['other']))]);
    expect(replaced?.otherEvidence.map(({ id }) => id)).to.deep.equal(['doc']);
    expect(replaced?.checks[2]?.evidence.map(({ id }) => id)).to.deep.equal(['other']);
  });

  it('keeps earlier scores, the latest first', () => {
    const record = recordAfter(...assessed, [daysAfter(DAY_1, 50), rescore()]);
    expect(record).to.include({ trustScore: 0, reason: 'evidence_expired', scoredAt: daysAfter(DAY_1, 50) });
    expect(record?.history).to.deep.equal([
      { trustScore: 25, tier: 'listed', methodologyVersion: '1.0', scoredAt: DAY_2, reason: 'assessment' },
      { trustScore: 0, tier: 'unverified', methodologyVersion: '1.0', scoredAt: DAY_1, reason: 'published' },
    ]);
  });

  it('keeps the evidence of a check that a new methodology has dropped', () => {
    const rules = inForce({
      version: '2.0',
      checks: inForce().checks.filter(({ id }) => id !== 'benchmark'),
    });
    const record = recordAfter(...assessed, [DAY_3, rescore(rules)]);
    expect(record?.otherEvidence.map(({ id }) => id)).to.deep.equal(['doc', 'other']);
  });

  it('bears the digest of all else in it, after every kind of change', () => {
    const histories: Parameters<typeof agentEvents>[] = [
      [published],
      [published, [DAY_1, submit(doc)]],
      [...assessed],
      [...assessed, [DAY_3, submit(evidence('late', { url: 'https://a.example/x', expiresAt: DAY_3 }))]],
    ];
    for (const history of histories) {
      const { digest, ...rest } = JSON.parse(JSON.stringify(recordAfter(...history)));
      expect(digest).to.equal(createHash('sha256').update(canonicalJson(rest)).digest('hex'));
    }
  });

  it('goes with the agent when it is retired', () => {
    expect(recordAfter(published, [DAY_2, { type: 'RetireAgent', reason: 'Replaced.' }])).to.equal(undefined);
  });
});

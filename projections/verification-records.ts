/** The view of verification records: all that a score can be recomputed from, beside the methodology. */
import type { Evidence } from '../events/agent-events.ts';
import type { AgentScore, ScoredCheck } from '../events/agent-score.ts';
import { digestOf } from '../events/methodology-document.ts';
import { defineProjection, on } from './projection.ts';
import { type VerificationDocument, verificationDocument } from './verification-document.ts';

export const VERIFICATION_RECORDS = 'verification-records';

/** So many earlier scores a record shows; the change feed has them all. */
const MAX_HISTORY = 200;

type Undigested = Omit<VerificationDocument, 'digest'>;

export const verificationRecords = defineProjection<VerificationDocument>({
  name: VERIFICATION_RECORDS,
  version: 1,
  summary: 'Every check of each agent with its result, points and evidence, and how the score came about.',
  schema: verificationDocument,
  on: {
    AgentScored: on('agent', (doc, event) => digested(scored(doc, event.data, event.at))),
    EvidenceSubmitted: on(
      'agent',
      (doc, { data }) =>
        doc && digested({ ...doc, otherEvidence: byId([...doc.otherEvidence, data.evidence]) }),
    ),
    AgentRetired: on('agent', () => undefined),
  },
});

function scored(doc: VerificationDocument | undefined, score: AgentScore, at: string): Undigested {
  const onRecord = doc === undefined ? [] : allEvidence(doc);
  const { agent, autonomyLevel, methodology, trustScore, tier, earnedPoints, possiblePoints } = score;
  const used = new Set(score.checks.flatMap(({ finding }) => finding?.evidence ?? []));
  return {
    agent,
    autonomyLevel,
    methodology,
    trustScore,
    tier,
    earnedPoints,
    possiblePoints,
    scoredAt: at,
    reason: score.reason,
    validUntil: score.validUntil,
    checks: score.checks.map((check) => checkDocument(check, onRecord)),
    otherEvidence: onRecord.filter(({ id }) => !used.has(id)),
    history: doc === undefined ? [] : [pastScore(doc), ...doc.history].slice(0, MAX_HISTORY),
  };
}

function checkDocument(
  { finding, ...check }: ScoredCheck,
  onRecord: readonly Evidence[],
): Undigested['checks'][number] {
  const { toPass, scoreIfPassed, ...result } = check;
  if (finding === null) return { ...result, finding, evidence: [], toPass, scoreIfPassed };
  const { evidence: ids, ...found } = finding;
  const evidence = ids.flatMap((id) => onRecord.filter((one) => one.id === id));
  if (evidence.length !== ids.length)
    throw new Error(`${check.id}: evidence of the finding is not on record`);
  return { ...result, finding: found, evidence, toPass, scoreIfPassed };
}

function pastScore(doc: VerificationDocument): VerificationDocument['history'][number] {
  const { trustScore, tier, methodology, scoredAt, reason } = doc;
  return { trustScore, tier, methodologyVersion: methodology.version, scoredAt, reason };
}

/** What is on record stands with the checks that rest on it, and the rest beside them; each piece once. */
function allEvidence(doc: VerificationDocument): readonly Evidence[] {
  const pieces = [...doc.checks.flatMap(({ evidence }) => evidence), ...doc.otherEvidence];
  return byId([...new Map(pieces.map((piece): [string, Evidence] => [piece.id, piece])).values()]);
}

function byId(evidence: readonly Evidence[]): Evidence[] {
  return [...evidence].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function digested(doc: Undigested | VerificationDocument): VerificationDocument {
  return { ...doc, digest: digestOf(doc) };
}

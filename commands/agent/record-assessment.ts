/** Records what an assessor found for one check, and the score that follows from it. */
import type { Assessment } from '../../events/agent-events.ts';
import { orderedJson } from '../../events/canonical-json.ts';
import type { PublishedMethodology } from '../../events/methodology-document.ts';
import type { Check } from '../../events/methodology-events.ts';
import { accept, reject } from '../decider.ts';
import type { Finding } from '../scoring.ts';
import { type ListedAgent, withFinding } from './agent-state.ts';
import type { AgentDecision, AgentRejection } from './rejections.ts';
import { isOutdated, scoredFacts } from './rescore.ts';

export interface RecordAssessment {
  readonly type: 'RecordAssessment';
  readonly assessment: Assessment;
  readonly methodology: PublishedMethodology;
}

export function recordAssessment(
  { assessment, methodology }: RecordAssessment,
  agent: ListedAgent,
  at: string,
): AgentDecision {
  if (isOutdated(methodology, agent))
    return reject({ kind: 'methodology_outdated', version: methodology.version });
  const fault = faultIn(assessment, agent, methodology);
  if (fault !== null) return reject(fault);
  if (isSameFinding(assessment, agent.findings.get(assessment.check))) return accept();
  const assessed = withFinding(agent, assessment, at);
  return accept(
    { type: 'AssessmentRecorded', data: { agent: agent.slug, assessment } },
    ...scoredFacts(assessed, methodology, at, 'assessment'),
  );
}

function faultIn(
  assessment: Assessment,
  agent: ListedAgent,
  methodology: PublishedMethodology,
): AgentRejection | null {
  const check = methodology.checks.find(({ id }) => id === assessment.check);
  if (check === undefined) {
    return { kind: 'unknown_check', check: assessment.check, version: methodology.version };
  }
  const unknown = assessment.evidence.filter((id) => !agent.evidence.has(id));
  if (unknown.length > 0) return { kind: 'unknown_evidence', evidence: unknown };
  if (assessment.result !== 'fail' && !hasAcceptedKind(assessment, agent, check)) {
    return { kind: 'evidence_missing', check: check.id, accepted: check.evidenceKinds };
  }
  return null;
}

function hasAcceptedKind(assessment: Assessment, agent: ListedAgent, check: Check): boolean {
  return assessment.evidence.some((id) => {
    const kind = agent.evidence.get(id)?.kind;
    return kind !== undefined && check.evidenceKinds.includes(kind);
  });
}

function isSameFinding(assessment: Assessment, finding: Finding | undefined): boolean {
  if (finding === undefined) return false;
  return orderedJson({ ...assessment, assessedAt: finding.assessedAt }) === orderedJson(finding);
}

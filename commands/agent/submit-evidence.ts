/** Puts a document on record. The same again changes nothing; other content under the same id is refused. */
import type { Evidence } from '../../events/agent-events.ts';
import { accept, reject } from '../decider.ts';
import { type ListedAgent, onRecord } from './agent-state.ts';
import type { AgentDecision } from './rejections.ts';

export interface SubmitEvidence {
  readonly type: 'SubmitEvidence';
  readonly evidence: Evidence;
}

/** Of one agent: its verification record shows all of it, and a load of the agent reads it. */
export const MAX_EVIDENCE = 500;

export function submitEvidence({ evidence }: SubmitEvidence, agent: ListedAgent, at: string): AgentDecision {
  const known = agent.evidence.get(evidence.id);
  if (known !== undefined) {
    return known.digest === onRecord(evidence).digest
      ? accept()
      : reject({ kind: 'evidence_differs', evidence: evidence.id });
  }
  if (agent.evidence.size >= MAX_EVIDENCE) return reject({ kind: 'evidence_full', limit: MAX_EVIDENCE });
  const message = faultInDates(evidence, at);
  if (message !== null) return reject({ kind: 'evidence_dates', evidence: evidence.id, message });
  return accept({ type: 'EvidenceSubmitted', data: { agent: agent.slug, evidence } });
}

/** Old evidence, expired even, may be put on record; evidence from the future may not. */
function faultInDates({ issuedAt, expiresAt }: Evidence, at: string): string | null {
  if (issuedAt > at) return 'issuedAt lies in the future';
  if (expiresAt !== undefined && expiresAt <= issuedAt) return 'expiresAt must be later than issuedAt';
  return null;
}

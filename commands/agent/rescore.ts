/** The score that follows from an agent's state, as a fact if anything in it differs from the last one. */
import type { AgentFact } from '../../events/agent-events.ts';
import type { AgentScore, ScoreReason } from '../../events/agent-score.ts';
import type { PublishedMethodology } from '../../events/methodology-document.ts';
import { compareVersions } from '../../events/texts.ts';
import { accept } from '../decider.ts';
import { scoreAgent } from '../scoring.ts';
import { lastScore, type ListedAgent } from './agent-state.ts';
import type { AgentDecision } from './rejections.ts';

/** Computes the score anew: because evidence has expired, or because another methodology is in force. */
export interface RescoreAgent {
  readonly type: 'RescoreAgent';
  readonly methodology: PublishedMethodology;
}

export function rescoreAgent({ methodology }: RescoreAgent, agent: ListedAgent, at: string): AgentDecision {
  if (isOutdated(methodology, agent)) return accept();
  const reason = agent.score?.methodologyVersion === methodology.version ? 'evidence_expired' : 'methodology';
  return accept(...scoredFacts(agent, methodology, at, reason));
}

/** One AgentScored, or nothing when score, tier and every check are as they were. */
export function scoredFacts(
  agent: ListedAgent,
  methodology: PublishedMethodology,
  at: string,
  reason: ScoreReason,
): AgentFact[] {
  const { autonomyLevel } = agent.listing;
  const { findings, evidence } = agent;
  const score = scoreAgent({ methodology, autonomyLevel, findings, evidence, at });
  const data: AgentScore = { agent: agent.slug, ...score, reason };
  return lastScore(data).digest === agent.score?.digest ? [] : [{ type: 'AgentScored', data }];
}

export function isOutdated(methodology: PublishedMethodology, agent: ListedAgent): boolean {
  return agent.score !== null && compareVersions(methodology.version, agent.score.methodologyVersion) < 0;
}

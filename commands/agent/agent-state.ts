/** An agent as its stream tells it: the listing, what is on record about it, and the last score. */
import type { AgentFact, Assessment, Evidence } from '../../events/agent-events.ts';
import type { Listing } from '../../events/agent-listing.ts';
import type { AgentScore } from '../../events/agent-score.ts';
import type { Occurred } from '../../events/event.ts';
import { assertNever } from '../decider.ts';
import type { Finding } from '../scoring.ts';

export interface ListedAgent {
  readonly status: 'listed' | 'suspended' | 'retired';
  readonly slug: string;
  readonly listing: Listing;
  readonly evidence: ReadonlyMap<string, Evidence>;
  /** The latest finding of each check. */
  readonly findings: ReadonlyMap<string, Finding>;
  readonly score: AgentScore | null;
}

export type Agent = { readonly status: 'absent' } | ListedAgent;

export const noAgent: Agent = { status: 'absent' };

export function evolveAgent(agent: Agent, event: Occurred<AgentFact>): Agent {
  if (event.type === 'AgentPublished') {
    const { agent: slug, listing } = event.data;
    return { status: 'listed', slug, listing, evidence: new Map(), findings: new Map(), score: null };
  }
  return agent.status === 'absent' ? agent : evolveListed(agent, event);
}

function evolveListed(
  agent: ListedAgent,
  event: Exclude<Occurred<AgentFact>, { type: 'AgentPublished' }>,
): ListedAgent {
  switch (event.type) {
    case 'AgentRevised':
      return { ...agent, listing: event.data.listing };
    case 'AgentSuspended':
      return { ...agent, status: 'suspended' };
    case 'AgentResumed':
      return { ...agent, status: 'listed' };
    case 'AgentRetired':
      return { ...agent, status: 'retired' };
    case 'EvidenceSubmitted': {
      const { evidence } = event.data;
      return { ...agent, evidence: new Map([...agent.evidence, [evidence.id, evidence]]) };
    }
    case 'AssessmentRecorded':
      return withFinding(agent, event.data.assessment, event.at);
    case 'AgentScored':
      return { ...agent, score: event.data };
    default:
      return assertNever(event);
  }
}

/** The finding replaces the earlier one for the same check. */
export function withFinding(agent: ListedAgent, assessment: Assessment, assessedAt: string): ListedAgent {
  return {
    ...agent,
    findings: new Map([...agent.findings, [assessment.check, { ...assessment, assessedAt }]]),
  };
}

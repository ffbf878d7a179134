/** An agent as its stream tells it: the listing, what is on record about it, and the last score. */
import type {
  AgentFact,
  Assessment,
  Evidence,
  EvidenceOnRecord,
  LastScore,
} from '../../events/agent-events.ts';
import type { Listing } from '../../events/agent-listing.ts';
import type { AgentScore } from '../../events/agent-score.ts';
import { orderedJson } from '../../events/canonical-json.ts';
import type { Occurred } from '../../events/event.ts';
import { sha256Hex } from '../../events/hash-chain.ts';
import { evolveBy, type Evolutions } from '../decider.ts';
import type { Finding } from '../scoring.ts';

export interface ListedAgent {
  readonly status: 'listed' | 'suspended' | 'retired';
  readonly slug: string;
  readonly listing: Listing;
  readonly evidence: ReadonlyMap<string, EvidenceOnRecord>;
  /** The latest finding of each check. */
  readonly findings: ReadonlyMap<string, Finding>;
  readonly score: LastScore | null;
  /** How many events a load has to read back to the last snapshot. */
  readonly eventsSinceSnapshot: number;
}

export type Agent = { readonly status: 'absent' } | ListedAgent;

export const noAgent: Agent = { status: 'absent' };

export function evolveAgent(agent: Agent, event: Occurred<AgentFact>): Agent {
  if (event.type === 'AgentPublished') {
    const { agent: slug, listing } = event.data;
    const nothing = { evidence: new Map(), findings: new Map(), score: null };
    return { status: 'listed', slug, listing, ...nothing, eventsSinceSnapshot: 1 };
  }
  if (event.type === 'AgentCarried') return fromSnapshot(event.data);
  if (agent.status === 'absent') return agent;
  return evolveBy(evolutions, { ...agent, eventsSinceSnapshot: agent.eventsSinceSnapshot + 1 }, event);
}

const evolutions: Evolutions<ListedAgent, Exclude<AgentFact, { type: 'AgentPublished' | 'AgentCarried' }>> = {
  AgentRevised: (agent, { data }) => ({ ...agent, listing: data.listing }),
  AgentSuspended: (agent) => ({ ...agent, status: 'suspended' }),
  AgentResumed: (agent) => ({ ...agent, status: 'listed' }),
  AgentRetired: (agent) => ({ ...agent, status: 'retired' }),
  EvidenceSubmitted: (agent, { data: { evidence } }) => {
    return { ...agent, evidence: new Map([...agent.evidence, [evidence.id, onRecord(evidence)]]) };
  },
  AssessmentRecorded: (agent, { data, at }) => withFinding(agent, data.assessment, at),
  AgentScored: (agent, { data }) => ({ ...agent, score: lastScore(data) }),
};

/** The finding replaces the earlier one for the same check. */
export function withFinding(agent: ListedAgent, assessment: Assessment, assessedAt: string): ListedAgent {
  return {
    ...agent,
    findings: new Map([...agent.findings, [assessment.check, { ...assessment, assessedAt }]]),
  };
}

type Carried = Extract<AgentFact, { type: 'AgentCarried' }>['data'];

function fromSnapshot({ agent: slug, status, listing, score, ...carried }: Carried): ListedAgent {
  const evidence = new Map(carried.evidence.map((piece) => [piece.id, piece]));
  const findings = new Map(carried.findings.map((finding) => [finding.check, finding]));
  return { status, slug, listing, evidence, findings, score, eventsSinceSnapshot: 0 };
}

/** What is decided by: the content only matters where it is to be the same again. */
export function onRecord(evidence: Evidence): EvidenceOnRecord {
  const { id, kind, issuedAt, expiresAt } = evidence;
  const digest = sha256Hex(orderedJson(evidence));
  return { id, kind, issuedAt, ...(expiresAt !== undefined && { expiresAt }), digest };
}

/** Two scores with the same digest differ in nothing but their reason. */
export function lastScore(scored: AgentScore): LastScore {
  const { reason: _, ...score } = scored;
  const { methodology, validUntil } = score;
  return { methodologyVersion: methodology.version, validUntil, digest: sha256Hex(orderedJson(score)) };
}

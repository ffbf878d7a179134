/** The view that answers lists of agents and each agent's detail: the document as it is served. */
import type { AgentFact } from '../events/agent-events.ts';
import { type AgentScore, type CheckResult, TIERS } from '../events/agent-score.ts';
import type { DomainEvent } from '../events/catalog.ts';
import { type AgentDocument, agentDocument } from './agent-document.ts';
import { countOne, noOutcomes } from './outcomes.ts';
import { changes, defineProjection, type Handler, on } from './projection.ts';
import { sortableName } from './words.ts';

export const AGENT_DIRECTORY = 'agent-directory';

type AgentEvent<T extends AgentFact['type']> = Extract<DomainEvent, { type: T }>;

export const agentDirectory = defineProjection<AgentDocument>({
  name: AGENT_DIRECTORY,
  version: 3,
  summary: 'Listed and suspended agents with their verification in short and the outcomes of their jobs.',
  schema: agentDocument,
  fields: {
    status: 'text',
    nameKey: 'text',
    agency: 'text',
    tier: 'text',
    pricingModel: 'text',
    methodologyVersion: 'text',
    categories: 'texts',
    capabilities: 'texts',
    trustScore: 'integer',
    autonomyLevel: 'integer',
    priceCents: 'integer',
    publishedMs: 'integer',
    validUntilMs: 'integer',
  },
  orders: {
    '-trustScore': [{ field: 'trustScore', direction: 'desc' }],
    name: [{ field: 'nameKey', direction: 'asc' }],
    '-publishedAt': [{ field: 'publishedMs', direction: 'desc' }],
    priceCents: [{ field: 'priceCents', direction: 'asc' }],
    relevance: [{ field: 'nameKey', direction: 'asc' }],
    validUntil: [{ field: 'validUntilMs', direction: 'asc' }],
  },
  on: {
    AgentPublished: on('agent', (_, event) => publishedDocument(event)),
    AgentRevised: changing((_, event: AgentEvent<'AgentRevised'>) => event.data.listing),
    AgentSuspended: changing((_, { at, data }: AgentEvent<'AgentSuspended'>) => ({
      suspension: { since: at, reason: data.reason },
    })),
    AgentResumed: changing(() => ({ suspension: undefined })),
    AgentRetired: on('agent', () => undefined),
    EvidenceSubmitted: verifying(({ evidenceCount }) => ({ evidenceCount: evidenceCount + 1 })),
    AssessmentRecorded: verifying((_, event) => ({ verifiedAt: event.at })),
    AgentScored: verifying((_, event: AgentEvent<'AgentScored'>) => scoreFields(event.data)),
    JobCompleted: counting('jobsCompleted'),
    JobFailed: counting('jobsFailed'),
    RecordAsserted: counting('recordsCreated'),
  },
  index: (doc) => ({
    status: doc.suspension === undefined ? 'listed' : 'suspended',
    nameKey: sortableName(doc.name),
    agency: doc.agency.slug,
    tier: doc.verification.tier,
    pricingModel: doc.pricing.model,
    methodologyVersion: doc.verification.methodologyVersion,
    categories: doc.categories,
    capabilities: doc.capabilities,
    trustScore: doc.verification.trustScore,
    autonomyLevel: doc.autonomyLevel,
    priceCents: doc.pricing.amountCents,
    publishedMs: Date.parse(doc.publishedAt),
    validUntilMs: doc.verification.validUntil === null ? null : Date.parse(doc.verification.validUntil),
  }),
  words: (doc) => [doc.name, [doc.tagline, ...doc.capabilities].join(' '), doc.description],
});

function publishedDocument(event: AgentEvent<'AgentPublished'>): AgentDocument {
  return {
    slug: event.data.agent,
    ...event.data.listing,
    verification: {
      tier: TIERS[0],
      trustScore: 0,
      methodologyVersion: null,
      verifiedAt: null,
      validUntil: null,
      checks: { passed: 0, partial: 0, failed: 0, notAssessed: 0 },
      evidenceCount: 0,
    },
    outcomes: noOutcomes,
    publishedAt: event.at,
    updatedAt: event.at,
    revision: event.revision,
  };
}

/** An event of the agent's own stream: the document says when it changed, and at which revision. */
function changing<Event extends AgentEvent<AgentFact['type']>>(
  change: (doc: AgentDocument, event: Event) => Partial<AgentDocument>,
): Handler<AgentDocument, Event> {
  return changes('agent', (doc, event) => {
    return { ...change(doc, event), updatedAt: event.at, revision: event.revision };
  });
}

type Verification = AgentDocument['verification'];

function verifying<Event extends AgentEvent<AgentFact['type']>>(
  change: (before: Verification, event: Event) => Partial<Verification>,
): Handler<AgentDocument, Event> {
  return changing(({ verification }, event) => ({
    verification: { ...verification, ...change(verification, event) },
  }));
}

/**
 * An event of a job: where it counts it is among the outcomes, also of a suspended agent; a retired one is gone. Events
 * from before real money was taken do not say that they count, and do not.
 */
function counting(
  what: Parameters<typeof countOne>[1],
): Handler<AgentDocument, Extract<DomainEvent, { type: 'JobCompleted' | 'JobFailed' | 'RecordAsserted' }>> {
  return on('agent', (doc, { data }) => {
    return doc && data.counts === true ? { ...doc, outcomes: countOne(doc.outcomes, what) } : doc;
  });
}

function scoreFields(score: AgentScore): Partial<Verification> {
  const counted = (result: CheckResult): number =>
    score.checks.filter((check) => check.result === result).length;
  return {
    tier: score.tier,
    trustScore: score.trustScore,
    methodologyVersion: score.methodology.version,
    validUntil: score.validUntil,
    checks: {
      passed: counted('pass'),
      partial: counted('partial'),
      failed: counted('fail'),
      notAssessed: counted('not_assessed'),
    },
  };
}

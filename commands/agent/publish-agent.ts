/** States how a listing shall read: lists the agent, revises it, or does nothing when it reads so already. */
import type { AgentFact } from '../../events/agent-events.ts';
import type { Listing } from '../../events/agent-listing.ts';
import { orderedJson } from '../../events/canonical-json.ts';
import type { PublishedMethodology } from '../../events/methodology-document.ts';
import { accept, reject } from '../decider.ts';
import { type Agent, evolveAgent, type ListedAgent, noAgent } from './agent-state.ts';
import type { AgentDecision } from './rejections.ts';
import { isOutdated, scoredFacts } from './rescore.ts';

export interface PublishAgent {
  readonly type: 'PublishAgent';
  readonly agent: string;
  readonly listing: Listing;
  readonly methodology: PublishedMethodology;
}

/** Changes some fields of a listing and leaves the others. */
export interface ReviseAgent {
  readonly type: 'ReviseAgent';
  readonly changes: Partial<Listing>;
  readonly methodology: PublishedMethodology;
}

export function publishAgent(command: PublishAgent, agent: Agent, at: string): AgentDecision {
  const { agent: slug, listing, methodology } = command;
  if (agent.status !== 'absent') return revise(agent, listing, methodology, at);
  const published: AgentFact = { type: 'AgentPublished', data: { agent: slug, listing } };
  const listed = evolveAgent(noAgent, { ...published, at });
  if (listed.status === 'absent') throw new Error('a published agent is listed');
  return accept(published, ...scoredFacts(listed, methodology, at, 'published'));
}

export function reviseAgent(
  { changes, methodology }: ReviseAgent,
  agent: ListedAgent,
  at: string,
): AgentDecision {
  return revise(agent, { ...agent.listing, ...changes }, methodology, at);
}

function revise(
  agent: ListedAgent,
  listing: Listing,
  methodology: PublishedMethodology,
  at: string,
): AgentDecision {
  if (agent.status === 'retired') return reject({ kind: 'retired' });
  if (listing.agency.slug !== agent.listing.agency.slug) {
    return reject({ kind: 'agency_changed', agency: agent.listing.agency.slug });
  }
  if (isOutdated(methodology, agent))
    return reject({ kind: 'methodology_outdated', version: methodology.version });
  if (orderedJson(listing) === orderedJson(agent.listing)) return accept();
  return accept(
    { type: 'AgentRevised', data: { agent: agent.slug, listing } },
    ...autonomyFacts({ ...agent, listing }, agent, methodology, at),
  );
}

/** Other checks apply to another autonomy level; no other field of a listing bears on the score. */
function autonomyFacts(
  revised: ListedAgent,
  before: ListedAgent,
  methodology: PublishedMethodology,
  at: string,
): AgentFact[] {
  if (revised.listing.autonomyLevel === before.listing.autonomyLevel) return [];
  return scoredFacts(revised, methodology, at, 'revised');
}

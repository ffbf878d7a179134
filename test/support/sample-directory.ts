/** The directory as tests begin with it: one methodology of four checks, one agent, evidence for each check. */
import { exampleOf } from '../../events/catalog.ts';
import type { AgentFact, Assessment, Evidence } from '../../events/agent-events.ts';
import type { Listing } from '../../events/agent-listing.ts';
import type { AgencyProfile } from '../../events/agency-events.ts';
import type { Occurred } from '../../events/event.ts';
import { type PublishedMethodology, publishedMethodology } from '../../events/methodology-document.ts';
import { type Check, type Methodology } from '../../events/methodology-events.ts';
import { agentDecider, type AgentCommand } from '../../commands/agent/agent.ts';
import { fold } from '../../commands/decider.ts';

export const DAY_1 = '2026-01-01T00:00:00.000Z';
export const DAY_2 = '2026-01-02T00:00:00.000Z';
export const DAY_3 = '2026-01-03T00:00:00.000Z';

export function daysAfter(at: string, days: number): string {
  return new Date(Date.parse(at) + days * 86_400_000).toISOString();
}

const base = exampleOf('MethodologyPublished').methodology;

export function check(id: string, overrides: Partial<Check> = {}): Check {
  return {
    id,
    title: `The check ${id}`,
    category: 'security',
    weight: 10,
    assessment: 'Somebody looks.',
    evidenceRequired: `A document about ${id}.`,
    evidenceKinds: ['policy', 'audit_report'],
    validityDays: 100,
    appliesFromAutonomyLevel: 1,
    ...overrides,
  };
}

/** Weights 10, 20, 30 and, from autonomy level 4 on, 40; tiers at 20, 50 and 90. */
export function methodology(overrides: Partial<Methodology> = {}): Methodology {
  const version = overrides.version ?? '1.0';
  return {
    ...base,
    version,
    tiers: [
      { tier: 'unverified', minimumScore: 0, requiredChecks: [], description: 'Nothing yet.' },
      { tier: 'listed', minimumScore: 20, requiredChecks: [], description: 'Something.' },
      { tier: 'verified', minimumScore: 50, requiredChecks: ['identity'], description: 'Much.' },
      { tier: 'audited', minimumScore: 90, requiredChecks: ['identity', 'approval'], description: 'All.' },
    ],
    checks: [
      check('identity', { weight: 10, validityDays: null }),
      check('retention', { weight: 20 }),
      check('benchmark', { weight: 30, validityDays: 50 }),
      check('approval', { weight: 40, appliesFromAutonomyLevel: 4 }),
    ],
    changeLog: [{ version, changes: ['What is new.'] }],
    ...overrides,
  };
}

export function inForce(overrides: Partial<Methodology> = {}): PublishedMethodology {
  return publishedMethodology(methodology(overrides), DAY_1);
}

export function listing(overrides: Partial<Listing> = {}): Listing {
  return {
    name: 'Invoice Matcher',
    tagline: 'Matches invoices.',
    description: 'Matches invoices to bank lines.',
    agency: { slug: 'ledgerworks', name: 'Ledgerworks' },
    categories: ['finance'],
    capabilities: ['invoice-matching'],
    integrations: ['sepa'],
    autonomyLevel: 3,
    pricing: { model: 'per_task', amountCents: 4_900, trialPriceCents: 1_900, currency: 'usd' },
    links: {},
    ...overrides,
  };
}

export function profile(overrides: Partial<AgencyProfile> = {}): AgencyProfile {
  return {
    name: 'Ledgerworks',
    tagline: 'Agents for finance.',
    description: 'Builds agents.',
    country: 'DE',
    legalName: 'Ledgerworks GmbH',
    foundedYear: 2021,
    links: {},
    ...overrides,
  };
}

export function evidence(id: string, overrides: Partial<Evidence> = {}): Evidence {
  return {
    id,
    kind: 'policy',
    title: `Document ${id}`,
    sha256: 'a'.repeat(64),
    issuedBy: 'Northgate Security',
    issuedAt: DAY_1,
    ...overrides,
  };
}

export function finding(
  checkId: string,
  result: Assessment['result'],
  ids: readonly string[],
  overrides: Partial<Assessment> = {},
): Assessment {
  return { check: checkId, result, evidence: [...ids], assessedBy: 'The desk', note: null, ...overrides };
}

export const AGENT = 'invoice-matcher';

export const publish = (overrides: Partial<Listing> = {}, rules = inForce()): AgentCommand => ({
  type: 'PublishAgent',
  agent: AGENT,
  listing: listing(overrides),
  methodology: rules,
});
export const submit = (piece: Evidence): AgentCommand => ({ type: 'SubmitEvidence', evidence: piece });
export const assess = (assessment: Assessment, rules = inForce()): AgentCommand => ({
  type: 'RecordAssessment',
  assessment,
  methodology: rules,
});
export const rescore = (rules = inForce()): AgentCommand => ({ type: 'RescoreAgent', methodology: rules });

/** The events of an agent to whom these commands were given, all accepted. */
export function lifeOf(
  ...commands: readonly (readonly [at: string, command: AgentCommand])[]
): Occurred<AgentFact>[] {
  const events: Occurred<AgentFact>[] = [];
  for (const [at, command] of commands) {
    const decision = agentDecider.decide(command, fold(agentDecider, events), at);
    if (!decision.ok) throw new Error(JSON.stringify(decision.rejection));
    // A fact with its time is an occurrence of that very fact.
    events.push(...decision.facts.map((fact) => ({ ...fact, at }) as Occurred<AgentFact>));
  }
  return events;
}

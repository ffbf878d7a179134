/** Every change that can be made to the directory, by whatever edge it was asked for. */
import { agencyDecider } from '../../../../commands/agency/agency.ts';
import { agentDecider, type AgentCommand } from '../../../../commands/agent/agent.ts';
import { bundleDecider } from '../../../../commands/bundle/bundle.ts';
import type { ManifestFile } from '../../../../commands/bundle/manifest.ts';
import { METHODOLOGY_ID, methodologyDecider } from '../../../../commands/methodology/methodology.ts';
import type { AgencyProfile } from '../../../../events/agency-events.ts';
import type { Assessment, Evidence } from '../../../../events/agent-events.ts';
import type { Listing } from '../../../../events/agent-listing.ts';
import type { BundleProfile } from '../../../../events/bundle-events.ts';
import type { Methodology } from '../../../../events/methodology-events.ts';
import { refuse } from '../../refusals.ts';
import { currentMethodology, type Desk } from './desk.ts';
import {
  explainAgency,
  explainAgent,
  explainBundle,
  explainMethodology,
  type Refused,
  type Written,
  written,
  wrongField,
} from './written.ts';

/** Words that stand where a slug would in our own addresses: an agent of that name could never be read. */
const TAKEN_SLUGS: readonly string[] = ['compare'];

/** A listing or bundle as files and requests have it: the agency by its slug alone. */
export type OfAgency<Profile> = Omit<Profile, 'agency'> & { readonly agency: string };

export async function registerAgency(desk: Desk, agency: string, profile: AgencyProfile): Promise<Written> {
  const answer = await desk.run(agencyDecider, agency, { type: 'RegisterAgency', agency, profile });
  return written(answer, explainAgency(agency));
}

export async function reviseAgency(
  desk: Desk,
  agency: string,
  changes: Partial<AgencyProfile>,
  /** For whoever may not do so as often as they like. */
  revisionsPerDay?: number,
): Promise<Written> {
  const answer = await desk.run(agencyDecider, agency, {
    type: 'ReviseAgency',
    changes,
    ...(revisionsPerDay === undefined ? {} : { revisionsPerDay }),
  });
  return written(answer, explainAgency(agency));
}

export async function publishMethodology(desk: Desk, methodology: Methodology): Promise<Written> {
  const answer = await desk.run(methodologyDecider, METHODOLOGY_ID, {
    type: 'PublishMethodology',
    methodology,
  });
  return written(answer, explainMethodology);
}

export async function publishAgent(
  desk: Desk,
  agent: string,
  { agency, ...listing }: OfAgency<Listing>,
): Promise<Written> {
  if (TAKEN_SLUGS.includes(agent)) return wrongField('slug', `${agent} is a word of our own addresses`);
  const [provider, methodology] = [await agencyOf(desk, agency), await currentMethodology(desk)];
  if ('ok' in provider) return provider;
  if (methodology === null) return noMethodology();
  return onAgent(desk, agent, {
    type: 'PublishAgent',
    agent,
    listing: { ...listing, agency: provider },
    methodology,
  });
}

export async function suspendAgent(desk: Desk, agent: string, reason: string): Promise<Written> {
  return onAgent(desk, agent, { type: 'SuspendAgent', reason });
}

export async function resumeAgent(desk: Desk, agent: string): Promise<Written> {
  return onAgent(desk, agent, { type: 'ResumeAgent' });
}

export async function retireAgent(desk: Desk, agent: string, reason: string): Promise<Written> {
  return onAgent(desk, agent, { type: 'RetireAgent', reason });
}

export async function submitEvidence(desk: Desk, agent: string, evidence: Evidence): Promise<Written> {
  return onAgent(desk, agent, { type: 'SubmitEvidence', evidence });
}

export async function recordAssessment(desk: Desk, agent: string, assessment: Assessment): Promise<Written> {
  const methodology = await currentMethodology(desk);
  if (methodology === null) return noMethodology();
  return onAgent(desk, agent, { type: 'RecordAssessment', assessment, methodology });
}

/** Computes the score anew where evidence has expired or the methodology has changed; else adds nothing. */
export async function rescoreAgent(desk: Desk, agent: string): Promise<Written> {
  const methodology = await currentMethodology(desk);
  if (methodology === null) return noMethodology();
  return onAgent(desk, agent, { type: 'RescoreAgent', methodology });
}

export async function publishBundleVersion(
  desk: Desk,
  bundle: string,
  version: string,
  { agency, ...profile }: OfAgency<BundleProfile>,
  files: readonly ManifestFile[],
): Promise<Written> {
  const provider = await agencyOf(desk, agency);
  if ('ok' in provider) return provider;
  const answer = await desk.run(bundleDecider, bundle, {
    type: 'PublishBundleVersion',
    bundle,
    version,
    profile: { ...profile, agency: provider },
    files,
  });
  return written(answer, explainBundle(bundle));
}

export async function retireBundle(desk: Desk, bundle: string, reason: string): Promise<Written> {
  const answer = await desk.run(bundleDecider, bundle, { type: 'RetireBundle', reason });
  return written(answer, explainBundle(bundle));
}

async function onAgent(desk: Desk, agent: string, command: AgentCommand): Promise<Written> {
  return written(await desk.run(agentDecider, agent, command), explainAgent(agent));
}

async function agencyOf(desk: Desk, slug: string): Promise<Listing['agency'] | Refused> {
  const agency = await desk.load(agencyDecider, slug);
  if (agency.status === 'absent') return wrongField('agency', `no agency ${slug} is registered`);
  return { slug, name: agency.profile.name };
}

function noMethodology(): Refused {
  return refuse('conflict', 'no methodology is in force: publish one first');
}

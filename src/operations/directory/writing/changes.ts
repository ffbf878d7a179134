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
import { currentMethodology, type ChangeExecutor } from './change-executor.ts';
import {
  explainAgency,
  explainAgent,
  explainBundle,
  explainMethodology,
  type Refused,
  type ChangeResult,
  changeResult,
  wrongField,
} from './change-result.ts';

/** Words that stand where a slug would in our own addresses: an agent of that name could never be read. */
const TAKEN_SLUGS: readonly string[] = ['compare'];

/** A listing or bundle as files and requests have it: the agency by its slug alone. */
export type OfAgency<Profile> = Omit<Profile, 'agency'> & { readonly agency: string };

export async function registerAgency(
  executor: ChangeExecutor,
  agency: string,
  profile: AgencyProfile,
): Promise<ChangeResult> {
  const answer = await executor.run(agencyDecider, agency, { type: 'RegisterAgency', agency, profile });
  return changeResult(answer, explainAgency(agency));
}

export async function reviseAgency(
  executor: ChangeExecutor,
  agency: string,
  changes: Partial<AgencyProfile>,
  /** For whoever may not do so as often as they like. */
  revisionsPerDay?: number,
): Promise<ChangeResult> {
  const answer = await executor.run(agencyDecider, agency, {
    type: 'ReviseAgency',
    changes,
    ...(revisionsPerDay === undefined ? {} : { revisionsPerDay }),
  });
  return changeResult(answer, explainAgency(agency));
}

export async function publishMethodology(
  executor: ChangeExecutor,
  methodology: Methodology,
): Promise<ChangeResult> {
  const answer = await executor.run(methodologyDecider, METHODOLOGY_ID, {
    type: 'PublishMethodology',
    methodology,
  });
  return changeResult(answer, explainMethodology);
}

export async function publishAgent(
  executor: ChangeExecutor,
  agent: string,
  { agency, ...listing }: OfAgency<Listing>,
): Promise<ChangeResult> {
  if (TAKEN_SLUGS.includes(agent)) return wrongField('slug', `${agent} is a word of our own addresses`);
  const [provider, methodology] = [await agencyOf(executor, agency), await currentMethodology(executor)];
  if ('ok' in provider) return provider;
  if (methodology === null) return noMethodology();
  return onAgent(executor, agent, {
    type: 'PublishAgent',
    agent,
    listing: { ...listing, agency: provider },
    methodology,
  });
}

export async function suspendAgent(
  executor: ChangeExecutor,
  agent: string,
  reason: string,
): Promise<ChangeResult> {
  return onAgent(executor, agent, { type: 'SuspendAgent', reason });
}

export async function resumeAgent(executor: ChangeExecutor, agent: string): Promise<ChangeResult> {
  return onAgent(executor, agent, { type: 'ResumeAgent' });
}

export async function retireAgent(
  executor: ChangeExecutor,
  agent: string,
  reason: string,
): Promise<ChangeResult> {
  return onAgent(executor, agent, { type: 'RetireAgent', reason });
}

export async function submitEvidence(
  executor: ChangeExecutor,
  agent: string,
  evidence: Evidence,
): Promise<ChangeResult> {
  return onAgent(executor, agent, { type: 'SubmitEvidence', evidence });
}

export async function recordAssessment(
  executor: ChangeExecutor,
  agent: string,
  assessment: Assessment,
): Promise<ChangeResult> {
  const methodology = await currentMethodology(executor);
  if (methodology === null) return noMethodology();
  return onAgent(executor, agent, { type: 'RecordAssessment', assessment, methodology });
}

/** Computes the score anew where evidence has expired or the methodology has changed; else adds nothing. */
export async function rescoreAgent(executor: ChangeExecutor, agent: string): Promise<ChangeResult> {
  const methodology = await currentMethodology(executor);
  if (methodology === null) return noMethodology();
  return onAgent(executor, agent, { type: 'RescoreAgent', methodology });
}

export async function publishBundleVersion(
  executor: ChangeExecutor,
  bundle: string,
  version: string,
  { agency, ...profile }: OfAgency<BundleProfile>,
  files: readonly ManifestFile[],
): Promise<ChangeResult> {
  const provider = await agencyOf(executor, agency);
  if ('ok' in provider) return provider;
  const answer = await executor.run(bundleDecider, bundle, {
    type: 'PublishBundleVersion',
    bundle,
    version,
    profile: { ...profile, agency: provider },
    files,
  });
  return changeResult(answer, explainBundle(bundle));
}

export async function retireBundle(
  executor: ChangeExecutor,
  bundle: string,
  reason: string,
): Promise<ChangeResult> {
  const answer = await executor.run(bundleDecider, bundle, { type: 'RetireBundle', reason });
  return changeResult(answer, explainBundle(bundle));
}

async function onAgent(
  executor: ChangeExecutor,
  agent: string,
  command: AgentCommand,
): Promise<ChangeResult> {
  return changeResult(await executor.run(agentDecider, agent, command), explainAgent(agent));
}

async function agencyOf(executor: ChangeExecutor, slug: string): Promise<Listing['agency'] | Refused> {
  const agency = await executor.load(agencyDecider, slug);
  if (agency.status === 'absent') return wrongField('agency', `no agency ${slug} is registered`);
  return { slug, name: agency.profile.name };
}

function noMethodology(): Refused {
  return refuse('conflict', 'no methodology is in force: publish one first');
}

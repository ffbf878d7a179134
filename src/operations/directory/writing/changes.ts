/** Every change that can be made to the directory, by whatever edge it was asked for. */
import { type AgencyCommand, agencyDecider } from '../../../../commands/agency/agency.ts';
import { agentDecider, type AgentCommand } from '../../../../commands/agent/agent.ts';
import { type BundleCommand, bundleDecider } from '../../../../commands/bundle/bundle.ts';
import type { ManifestFile } from '../../../../commands/bundle/manifest.ts';
import { METHODOLOGY_ID, methodologyDecider } from '../../../../commands/methodology/methodology.ts';
import type { AgencyProfile } from '../../../../events/agency-events.ts';
import type { Assessment, Evidence } from '../../../../events/agent-events.ts';
import type { Listing } from '../../../../events/agent-listing.ts';
import type { BundleProfile } from '../../../../events/bundle-events.ts';
import type { PublishedMethodology } from '../../../../events/methodology-document.ts';
import type { Methodology } from '../../../../events/methodology-events.ts';
import { refuse, type Refused } from '../../refusals.ts';
import { currentMethodology, type ChangeExecutor, type ChangeResult } from './change-executor.ts';
import { refuseAgency, refuseAgent, refuseBundle, refuseMethodology, wrongField } from './refuse-change.ts';

/** Words that stand where a slug would in our own addresses: an agent of that name could never be read. */
const TAKEN_SLUGS: readonly string[] = ['compare'];

/** A change that is run by whichever executor it is given. */
export type Change = (executor: ChangeExecutor) => Promise<ChangeResult>;

/** A listing or bundle as files and requests have it: the agency by its slug alone. */
export type OfAgency<Profile> = Omit<Profile, 'agency'> & { readonly agency: string };

export function changeAgency(agency: string, command: AgencyCommand): Change {
  return (executor) =>
    executor.run(agencyDecider, agency, command, (rejection) => refuseAgency(agency, rejection));
}

export function changeAgent(agent: string, command: AgentCommand): Change {
  return (executor) =>
    executor.run(agentDecider, agent, command, (rejection) => refuseAgent(agent, rejection));
}

export function changeBundle(bundle: string, command: BundleCommand): Change {
  return (executor) =>
    executor.run(bundleDecider, bundle, command, (rejection) => refuseBundle(bundle, rejection));
}

export function registerAgency(agency: string, profile: AgencyProfile): Change {
  return changeAgency(agency, { type: 'RegisterAgency', agency, profile });
}

export function publishMethodology(methodology: Methodology): Change {
  const command = { type: 'PublishMethodology', methodology } as const;
  return (executor) => executor.run(methodologyDecider, METHODOLOGY_ID, command, refuseMethodology);
}

export function publishAgent(agent: string, { agency, ...listing }: OfAgency<Listing>): Change {
  return async (executor) => {
    if (TAKEN_SLUGS.includes(agent)) return wrongField('slug', `${agent} is a word of our own addresses`);
    const provider = await agencyOf(executor, agency);
    if ('ok' in provider) return provider;
    return underMethodology((methodology) =>
      changeAgent(agent, {
        type: 'PublishAgent',
        agent,
        listing: { ...listing, agency: provider },
        methodology,
      }),
    )(executor);
  };
}

export function submitEvidence(agent: string, evidence: Evidence): Change {
  return changeAgent(agent, { type: 'SubmitEvidence', evidence });
}

export function recordAssessment(agent: string, assessment: Assessment): Change {
  return underMethodology((methodology) =>
    changeAgent(agent, { type: 'RecordAssessment', assessment, methodology }),
  );
}

/** Computes the score anew where evidence has expired or the methodology has changed; else adds nothing. */
export function rescoreAgent(agent: string): Change {
  return underMethodology((methodology) => changeAgent(agent, { type: 'RescoreAgent', methodology }));
}

export function publishBundleVersion(
  bundle: string,
  version: string,
  { agency, ...profile }: OfAgency<BundleProfile>,
  files: readonly ManifestFile[],
  bound: { readonly versionsPerDay?: number } = {},
): Change {
  return async (executor) => {
    const provider = await agencyOf(executor, agency);
    if ('ok' in provider) return provider;
    return changeBundle(bundle, {
      type: 'PublishBundleVersion',
      bundle,
      version,
      profile: { ...profile, agency: provider },
      files,
      ...bound,
    })(executor);
  };
}

async function agencyOf(executor: ChangeExecutor, slug: string): Promise<Listing['agency'] | Refused> {
  const agency = await executor.load(agencyDecider, slug);
  if (agency.status === 'absent') return wrongField('agency', `no agency ${slug} is registered`);
  return { slug, name: agency.profile.name };
}

function underMethodology(change: (methodology: PublishedMethodology) => Change): Change {
  return async (executor) => {
    const methodology = await currentMethodology(executor);
    if (methodology === null) return refuse('conflict', 'no methodology is in force: publish one first');
    return change(methodology)(executor);
  };
}

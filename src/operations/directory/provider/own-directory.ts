/** What an agency changes of its own in the directory. What belongs to others is not found. */
import { exampleOf } from '../../../../events/catalog.ts';
import { MAX_EVIDENCE } from '../../../../commands/agent/submit-evidence.ts';
import { z } from 'zod';
import { agencyDecider } from '../../../../commands/agency/agency.ts';
import { agentDecider } from '../../../../commands/agent/agent.ts';
import { bundleDecider } from '../../../../commands/bundle/bundle.ts';
import { agencies } from '../../../../projections/agencies.ts';
import { agentDirectory } from '../../../../projections/agent-directory.ts';
import type { KeyedCall, KeyedOperation } from '../../operation.ts';
import { refuse } from '../../refusals.ts';
import { commandCall } from '../../idempotency.ts';
import type { Services } from '../../services.ts';
import { unlessShown } from '../../unless-shown.ts';
import { agentSlugInput, bundleSlugInput } from '../fields.ts';
import {
  type ChangeOperation,
  changeOperation,
  changeRefusals,
  type DirectoryChange,
  exampleChange,
} from '../writing/answer-change.ts';
import * as changes from '../writing/changes.ts';
import {
  bundleFields,
  evidenceFields,
  listingFields,
  profileFields,
  reasonField,
} from '../writing/change-inputs.ts';
import { agentPlace, bundlePlace, takeListingPlace, tooManyListings } from './listing-places.ts';

interface OwnChange<Input> extends Omit<ChangeOperation<Input>, 'tag' | 'scope' | 'refusals' | 'change'> {
  readonly change: (input: Input, agency: string, call: KeyedCall, services: Services) => changes.Change;
}

function ownChange<Input>({
  change,
  ...described
}: OwnChange<Input>): KeyedOperation<Input, DirectoryChange> {
  return changeOperation({
    ...described,
    tag: 'provider',
    scope: 'provider:fulfil',
    refusals: [...changeRefusals, 'forbidden'],
    change: (input, call, services) =>
      asAgency(services, call, (agency) => change(input, agency, call, services)),
  });
}

const { agent: slug, listing } = exampleOf('AgentPublished');
const { agency: _agency, ...ownListing } = listing;
const { bundle, version, profile, manifest } = exampleOf('BundleVersionPublished');
const { agency: _provider, ...ownBundle } = profile;

export const reviseOwnAgency = ownChange({
  name: 'reviseOwnAgency',
  summary: 'Say how your agency’s profile shall read.',
  description:
    'The whole profile is replaced; the same again changes nothing. All your listings follow, so that an agency may do so a limited number of times in a day (conflict).',
  input: z.strictObject(profileFields),
  example: { input: exampleOf('AgencyRegistered').profile, output: exampleChange('AgencyRevised') },
  change: (fields, agency, _call, { limits }) =>
    changes.changeAgency(agency, {
      type: 'ReviseAgency',
      changes: fields,
      revisionsPerDay: limits.profileChangesPerDay,
    }),
});

export const publishOwnAgent = ownChange({
  name: 'publishOwnAgent',
  summary: 'List an agent of your agency, or revise its listing.',
  description:
    'Says how the listing shall read; the same again changes nothing. How many agents and bundles an agency may list is limited (conflict).',
  input: z.strictObject({ slug: agentSlugInput, ...listingFields }),
  example: { input: { slug, ...ownListing }, output: exampleChange('AgentPublished', 'AgentScored') },
  change:
    ({ slug: agent, ...fields }, agency, call, services) =>
    async (executor) => {
      const { status } = await executor.load(agentDecider, agent);
      const publish = changes.publishAgent(agent, { ...fields, agency });
      const change =
        status === 'absent'
          ? withPlace(services, call, agency, agentPlace(agent), publish)
          : onOwnAgent(services, agency, agent, publish);
      return change(executor);
    },
  created: (input) => ({ by: 'AgentPublished', address: `/agents/${input.slug}` }),
});

export const retireOwnAgent = ownChange({
  name: 'retireOwnAgent',
  summary: 'End the listing of an agent of your agency for good.',
  description: 'From then on the API answers not_found, its page says that it ended, and mirrors drop it.',
  input: z.strictObject({ slug: agentSlugInput, reason: reasonField }),
  example: {
    input: { slug, reason: 'Replaced by Invoice Matcher 2.' },
    output: exampleChange('AgentRetired'),
  },
  change: ({ slug: agent, reason }, agency, _call, services) =>
    onOwnAgent(services, agency, agent, changes.changeAgent(agent, { type: 'RetireAgent', reason })),
});

export const submitOwnEvidence = ownChange({
  name: 'submitOwnEvidence',
  summary: 'Put a document about an agent of your agency on record.',
  description: `Operators assess it. Evidence never changes: other content needs another id. An agent has at most ${MAX_EVIDENCE} pieces.`,
  input: z.strictObject({ slug: agentSlugInput, ...evidenceFields }),
  example: {
    input: { slug, ...exampleOf('EvidenceSubmitted').evidence },
    output: exampleChange('EvidenceSubmitted'),
  },
  change: ({ slug: agent, ...evidence }, agency, _call, services) =>
    onOwnAgent(services, agency, agent, changes.submitEvidence(agent, evidence)),
});

export const publishOwnBundleVersion = ownChange({
  name: 'publishOwnBundleVersion',
  summary: 'Publish a version of a bundle of your agency by the hashes of its files.',
  description:
    'A version never changes: the same again changes nothing, other content needs a newer version. How many versions of a bundle an agency may publish in a day is limited (conflict).',
  input: z.strictObject({ slug: bundleSlugInput, ...bundleFields }),
  example: {
    input: { slug: bundle, version, ...ownBundle, files: manifest.files },
    output: exampleChange('BundleVersionPublished'),
  },
  change:
    ({ slug: name, version: number, files, ...fields }, agency, call, services) =>
    async (executor) => {
      const state = await executor.load(bundleDecider, name);
      const isOthers = state.status !== 'absent' && state.current.profile.agency.slug !== agency;
      if (isOthers) return refuse('not_found', `your agency has no bundle ${name}`);
      const bound = { versionsPerDay: services.limits.bundleVersionsPerDay };
      const publish = changes.publishBundleVersion(name, number, { ...fields, agency }, files, bound);
      const isNew = state.status === 'absent';
      const change = isNew ? withPlace(services, call, agency, bundlePlace(name), publish) : publish;
      return change(executor);
    },
  created: (input) => ({
    by: 'BundleVersionPublished',
    address: `/bundles/${input.slug}?version=${input.version}`,
  }),
});

function asAgency(
  { views }: Pick<Services, 'views'>,
  { caller: { agency } }: KeyedCall,
  changeOf: (agency: string) => changes.Change,
): changes.Change {
  return async (executor) => {
    if (agency === null)
      return refuse('forbidden', 'this key does not act for an agency: make one with --agency');
    if ((await executor.load(agencyDecider, agency)).status === 'absent')
      await unlessShown(views, agencies, agency);
    return changeOf(agency)(executor);
  };
}

/** Lists something new where the agency may list one more. */
function withPlace(
  services: Services,
  call: KeyedCall,
  agency: string,
  holder: string,
  list: changes.Change,
): changes.Change {
  return async (executor) => {
    const hasPlace = await takeListingPlace(services, agency, holder, commandCall(call));
    return hasPlace ? list(executor) : tooManyListings(services.limits.listings);
  };
}

function onOwnAgent(
  { views }: Pick<Services, 'views'>,
  agency: string,
  agent: string,
  change: changes.Change,
): changes.Change {
  return async (executor) => {
    const state = await executor.load(agentDecider, agent);
    if (state.status === 'absent') await unlessShown(views, agentDirectory, agent);
    const isOwn = state.status !== 'absent' && state.listing.agency.slug === agency;
    return isOwn ? change(executor) : refuse('not_found', `your agency has no agent ${agent}`);
  };
}

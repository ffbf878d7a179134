/**
 * The market of the examples: a few commands through the real deciders and views, so that every example answer agrees
 * with every other, and with its digest.
 */
import { agencyDecider } from '../../../commands/agency/agency.ts';
import { agentDecider } from '../../../commands/agent/agent.ts';
import { bundleDecider } from '../../../commands/bundle/bundle.ts';
import type { Decider } from '../../../commands/decider.ts';
import { methodologyDecider } from '../../../commands/methodology/methodology.ts';
import { agencyEvents } from '../../../events/agency-events.ts';
import { agentEvents } from '../../../events/agent-events.ts';
import { bundleEvents } from '../../../events/bundle-events.ts';
import type { DomainEvent } from '../../../events/catalog.ts';
import type { Fact } from '../../../events/event.ts';
import { idFrom } from '../../../events/ids.ts';
import { publishedMethodology } from '../../../events/methodology-document.ts';
import { methodologyEvents } from '../../../events/methodology-events.ts';
import { agencies } from '../../../projections/agencies.ts';
import { agentDirectory } from '../../../projections/agent-directory.ts';
import { bundleManifests, bundles } from '../../../projections/bundles.ts';
import { directoryChanges } from '../../../projections/directory-changes.ts';
import { methodologies } from '../../../projections/methodologies.ts';
import type { Projection } from '../../../projections/projection.ts';
import { replay } from '../../../projections/replay.ts';
import { verificationRecords } from '../../../projections/verification-records.ts';

const [registered] = agencyEvents;
const [published, , , , , submitted, assessed] = agentEvents;
const [versionPublished] = bundleEvents;
const [methodologyPublished] = methodologyEvents;

const agency = registered.example.agency;
const agent = published.example.agent;
const times = {
  methodology: '2026-06-01T08:00:00.000Z',
  listed: '2026-06-02T08:00:00.000Z',
  assessed: '2026-06-10T09:30:00.000Z',
};
const methodology = publishedMethodology(methodologyPublished.example.methodology, times.methodology);
const { bundle, version, profile, manifest } = versionPublished.example;

const history = story([
  step(methodologyDecider, 'main', times.methodology, { type: 'PublishMethodology', ...methodologyPublished.example }),
  step(agencyDecider, agency, times.listed, { type: 'RegisterAgency', ...registered.example }),
  step(
    agentDecider,
    agent,
    times.listed,
    { type: 'PublishAgent', ...published.example, methodology },
    { type: 'SubmitEvidence', evidence: submitted.example.evidence },
  ),
  step(bundleDecider, bundle, times.listed, {
    type: 'PublishBundleVersion',
    bundle,
    version,
    profile,
    files: manifest.files,
  }),
]);

export const exampleAgent = one(agentDirectory, agent);
export const exampleRecord = one(verificationRecords, agent);
export const exampleAgency = one(agencies, agency);
export const exampleBundleSummary = one(bundles, bundle);
export const exampleBundle = one(bundleManifests, bundle);
export const exampleMethodology = one(methodologies, 'current');
export const exampleChanges = [...replay(directoryChanges, history).values()].slice(-2);

function step() {}

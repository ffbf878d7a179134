/**
 * The market of the examples: a few commands through the real deciders and views, so that every example answer agrees
 * with every other, and with its digest.
 */
import { exampleOf } from '../../../events/catalog.ts';
import { agencyDecider } from '../../../commands/agency/agency.ts';
import { agentDecider } from '../../../commands/agent/agent.ts';
import { bundleDecider } from '../../../commands/bundle/bundle.ts';
import { METHODOLOGY_ID, methodologyDecider } from '../../../commands/methodology/methodology.ts';
import { publishedMethodology } from '../../../events/methodology-document.ts';
import { agencies } from '../../../projections/agencies.ts';
import { agentDirectory } from '../../../projections/agent-directory.ts';
import { bundleManifests, bundles } from '../../../projections/bundles.ts';
import { directoryChanges } from '../../../projections/directory-changes.ts';
import { CURRENT_METHODOLOGY, methodologies } from '../../../projections/methodologies.ts';
import type { Projection } from '../../../projections/projection.ts';
import { replay } from '../../../projections/replay.ts';
import { verificationRecords } from '../../../projections/verification-records.ts';
import { inLogOrder, streamOf } from './example-history.ts';

const registered = exampleOf('AgencyRegistered');
const published = exampleOf('AgentPublished');

const { agency } = registered;
const { agent } = published;
const times = {
  methodology: '2026-06-01T08:00:00.000Z',
  listed: '2026-06-02T08:00:00.000Z',
  assessed: '2026-06-10T09:30:00.000Z',
};
const methodology = publishedMethodology(exampleOf('MethodologyPublished').methodology, times.methodology);
const { bundle, version, profile, manifest } = exampleOf('BundleVersionPublished');

const history = inLogOrder(
  streamOf(methodologyDecider, METHODOLOGY_ID, [
    times.methodology,
    { type: 'PublishMethodology', methodology: exampleOf('MethodologyPublished').methodology },
  ]),
  streamOf(agencyDecider, agency, [times.listed, { type: 'RegisterAgency', ...registered }]),
  streamOf(
    agentDecider,
    agent,
    [times.listed, { type: 'PublishAgent', ...published, methodology }],
    [times.listed, { type: 'SubmitEvidence', evidence: exampleOf('EvidenceSubmitted').evidence }],
    [
      times.assessed,
      { type: 'RecordAssessment', assessment: exampleOf('AssessmentRecorded').assessment, methodology },
    ],
  ),
  streamOf(bundleDecider, bundle, [
    times.listed,
    { type: 'PublishBundleVersion', bundle, version, profile, files: manifest.files },
  ]),
);

export const exampleAgent = one(agentDirectory, agent);
export const exampleRecord = one(verificationRecords, agent);
export const exampleAgency = one(agencies, agency);
export const exampleBundleSummary = one(bundles, bundle);
export const exampleBundle = one(bundleManifests, bundle);
export const exampleMethodology = one(methodologies, CURRENT_METHODOLOGY);
export const exampleChanges = [...replay(directoryChanges, history).values()].slice(-2);

function one<Doc>(projection: Pick<Projection<Doc>, 'name' | 'on'>, key: string): Doc {
  const document = replay(projection, history).get(key);
  if (document === undefined) throw new Error(`the example market has no ${key} in ${projection.name}`);
  return document;
}

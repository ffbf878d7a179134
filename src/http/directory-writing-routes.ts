/** The endpoints by which operators and agencies change the directory. */
import { registerAgency } from '../operations/directory/operator/agencies.ts';
import {
  publishAgent,
  recordAssessment,
  resumeAgent,
  retireAgent,
  submitEvidence,
  suspendAgent,
} from '../operations/directory/operator/agents.ts';
import { publishBundleVersion, retireBundle } from '../operations/directory/operator/bundles.ts';
import { publishMethodology } from '../operations/directory/operator/methodology.ts';
import {
  publishOwnAgent,
  publishOwnBundleVersion,
  retireOwnAgent,
  reviseOwnAgency,
  submitOwnEvidence,
} from '../operations/directory/provider/own-directory.ts';
import { renewDigest } from '../operations/directory/renew-digest.ts';
import { route, type Route } from '../transport/route.ts';

export const directoryWritingRoutes: readonly Route[] = [
  route('PUT', '/v1/operator/agencies/{slug}', registerAgency, { creates: true, maxBodyKib: 256 }),
  route('PUT', '/v1/operator/agents/{slug}', publishAgent, { creates: true, maxBodyKib: 256 }),
  route('POST', '/v1/operator/agents/{slug}/suspend', suspendAgent),
  route('POST', '/v1/operator/agents/{slug}/resume', resumeAgent),
  route('POST', '/v1/operator/agents/{slug}/retire', retireAgent),
  route('POST', '/v1/operator/agents/{slug}/evidence', submitEvidence, { maxBodyKib: 256 }),
  route('POST', '/v1/operator/agents/{slug}/assessments', recordAssessment, { maxBodyKib: 256 }),
  route('PUT', '/v1/operator/bundles/{slug}', publishBundleVersion, { creates: true, maxBodyKib: 256 }),
  route('POST', '/v1/operator/bundles/{slug}/retire', retireBundle),
  route('PUT', '/v1/operator/methodology', publishMethodology, { creates: true, maxBodyKib: 256 }),
  route('POST', '/v1/operator/digest', renewDigest),

  route('PUT', '/v1/provider/agency', reviseOwnAgency, { maxBodyKib: 256 }),
  route('PUT', '/v1/provider/agents/{slug}', publishOwnAgent, { creates: true, maxBodyKib: 256 }),
  route('POST', '/v1/provider/agents/{slug}/retire', retireOwnAgent),
  route('POST', '/v1/provider/agents/{slug}/evidence', submitOwnEvidence, { maxBodyKib: 256 }),
  route('PUT', '/v1/provider/bundles/{slug}', publishOwnBundleVersion, { creates: true, maxBodyKib: 256 }),
];

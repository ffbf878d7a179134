/** Every address of the marketplace's REST API and the operation behind it. */
import { attachArtifact } from '../operations/artifacts/attach-artifact.ts';
import { downloadArtifact } from '../operations/artifacts/download-artifact.ts';
import { listArtifacts } from '../operations/artifacts/list-artifacts.ts';
import { compareAgents } from '../operations/directory/compare-agents.ts';
import { getAgency } from '../operations/directory/get-agency.ts';
import { getAgent } from '../operations/directory/get-agent.ts';
import { getBundle } from '../operations/directory/get-bundle.ts';
import { getMethodology } from '../operations/directory/get-methodology.ts';
import { getVerification } from '../operations/directory/get-verification.ts';
import { listAgencies } from '../operations/directory/list-agencies.ts';
import { listAgents } from '../operations/directory/list-agents.ts';
import { listBundles } from '../operations/directory/list-bundles.ts';
import { listChanges } from '../operations/directory/list-changes.ts';
import { cancelJob, withdrawJobLinks } from '../operations/jobs/change-own-job.ts';
import { createTrial } from '../operations/jobs/create-trial.ts';
import { discloseOrder } from '../operations/jobs/disclose-order.ts';
import { getJob } from '../operations/jobs/get-job.ts';
import { getSpending } from '../operations/jobs/get-spending.ts';
import { listJobs } from '../operations/jobs/list-jobs.ts';
import { settleJobPayment } from '../operations/jobs/settle-payment.ts';
import { refundJob } from '../operations/jobs/refund-job.ts';
import { assertRecord } from '../operations/records/assert-record.ts';
import { linkOfToken } from '../operations/jobs/act-link.ts';
import { issueRecordSecret } from '../operations/records/issue-record-secret.ts';
import { amendKey, resumeKey, revokeOwnKey, rotateKey, suspendKey } from '../operations/keys/change-key.ts';
import { getKey, listKeys } from '../operations/keys/list-keys.ts';
import { makeKey } from '../operations/keys/make-key.ts';
import { getOwnKey } from '../operations/keys/get-own-key.ts';
import { checkMandate } from '../operations/jobs/check-mandate.ts';
import { getMandateExport } from '../operations/mandates/export-mandate.ts';
import { getMandate } from '../operations/mandates/get-mandate.ts';
import { getMandateHistory } from '../operations/mandates/mandate-history.ts';
import { completeJob, failJob, startJob } from '../operations/provider/fulfil-job.ts';
import { listProviderJobs } from '../operations/provider/list-provider-jobs.ts';
import { dataOperatorRoutes } from './data-operator-routes.ts';
import { dataRoutes, FILE_HEADERS } from './data-routes.ts';
import { directoryWritingRoutes } from './directory-writing-routes.ts';
import { listWebhookDeliveries, redeliverWebhook } from '../operations/webhooks/deliveries.ts';
import { testWebhookEndpoint } from '../operations/webhooks/test-endpoint.ts';
import {
  createWebhookEndpoint,
  createWebhookListener,
  disableWebhookEndpoint,
  enableWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  removeWebhookEndpoint,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from '../operations/webhooks/endpoints.ts';
import { issueNotifySecret } from '../operations/webhooks/notify-secret.ts';
import { getHealth } from '../operations/monitoring/get-health.ts';
import { getReadiness } from '../operations/monitoring/get-readiness.ts';
import { route, type Route } from '../transport/route.ts';

/** Answered by every process, whatever its role. */
export const monitoringRoutes: readonly Route[] = [
  route('GET', '/healthz', getHealth, { unlimited: true }),
  route('GET', '/readyz', getReadiness, { unlimited: true, tellsMonitors: true }),
];

export const routes: readonly Route[] = [
  route('GET', '/v1/agents', listAgents, { fastPath: true }),
  route('GET', '/v1/agents/compare', compareAgents),
  route('GET', '/v1/agents/{slug}', getAgent, { fastPath: true }),
  route('GET', '/v1/agents/{slug}/verification', getVerification),
  route('GET', '/v1/agencies', listAgencies),
  route('GET', '/v1/agencies/{slug}', getAgency),
  route('GET', '/v1/bundles', listBundles),
  route('GET', '/v1/bundles/{slug}', getBundle),
  route('GET', '/v1/changes', listChanges),
  route('GET', '/v1/methodology', getMethodology),

  route('POST', '/v1/trials', createTrial, { creates: true, fastPath: true, maxBodyKib: 256 }),
  route('GET', '/v1/jobs', listJobs),
  route('GET', '/v1/spending', getSpending),
  route('GET', '/v1/jobs/{jobId}', getJob),
  route('POST', '/v1/jobs/{jobId}/cancel', cancelJob),
  route('POST', '/v1/jobs/{jobId}/withdraw-links', withdrawJobLinks),

  route('GET', '/v1/jobs/{jobId}/artifacts', listArtifacts),
  route('GET', '/artifacts/{artifactId}', downloadArtifact, {
    bytes: 'out',
    signedUrl: true,
    unlimited: true,
    headers: FILE_HEADERS,
  }),
  route('POST', '/v1/jobs/{jobId}/record-secret', issueRecordSecret),
  route('POST', '/webhooks/record-created/{token}', assertRecord, {
    accepts: true,
    keepsText: true,
    maxBodyKib: 64,
    isOurs: ({ token = '' }, { signer }) => linkOfToken(token, signer) !== null,
    headers: {
      signatureId: 'webhook-id',
      signatureTimestamp: 'webhook-timestamp',
      signature: 'webhook-signature',
    },
  }),

  route('GET', '/v1/key', getOwnKey),
  route('GET', '/v1/keys', listKeys),
  route('POST', '/v1/keys', makeKey, { creates: true }),
  route('GET', '/v1/keys/{keyId}', getKey),
  route('PATCH', '/v1/keys/{keyId}', amendKey),
  route('POST', '/v1/keys/{keyId}/rotate', rotateKey),
  route('POST', '/v1/keys/{keyId}/suspend', suspendKey),
  route('POST', '/v1/keys/{keyId}/resume', resumeKey),
  route('POST', '/v1/keys/{keyId}/revoke', revokeOwnKey),

  route('GET', '/v1/mandate', getMandate),
  route('GET', '/v1/mandate/history', getMandateHistory),
  route('GET', '/v1/mandate/export', getMandateExport, { bytes: 'lines' }),
  route('POST', '/v1/mandate/check', checkMandate),

  ...dataRoutes,

  route('GET', '/v1/webhook-endpoints', listWebhookEndpoints),
  route('POST', '/v1/webhook-endpoints', createWebhookEndpoint, { creates: true }),
  route('POST', '/v1/webhook-listeners', createWebhookListener, { creates: true }),
  route('GET', '/v1/webhook-endpoints/{endpointId}', getWebhookEndpoint),
  route('PATCH', '/v1/webhook-endpoints/{endpointId}', updateWebhookEndpoint),
  route('DELETE', '/v1/webhook-endpoints/{endpointId}', removeWebhookEndpoint),
  route('POST', '/v1/webhook-endpoints/{endpointId}/test', testWebhookEndpoint, { accepts: true }),
  route('POST', '/v1/webhook-endpoints/{endpointId}/disable', disableWebhookEndpoint),
  route('POST', '/v1/webhook-endpoints/{endpointId}/enable', enableWebhookEndpoint),
  route('POST', '/v1/webhook-endpoints/{endpointId}/rotate-secret', rotateWebhookSecret),
  route('GET', '/v1/webhook-endpoints/{endpointId}/deliveries', listWebhookDeliveries),
  route('POST', '/v1/webhook-deliveries/{deliveryId}/redeliver', redeliverWebhook, { accepts: true }),
  route('POST', '/v1/notify-secret', issueNotifySecret),

  route('GET', '/v1/provider/jobs', listProviderJobs),
  route('POST', '/v1/provider/jobs/{jobId}/start', startJob),
  route('POST', '/v1/provider/jobs/{jobId}/complete', completeJob),
  route('POST', '/v1/provider/jobs/{jobId}/fail', failJob),

  route('PUT', '/v1/provider/jobs/{jobId}/artifacts/{name}', attachArtifact, {
    bytes: 'in',
    headers: {
      contentType: 'Content-Type',
      sha256: 'X-Content-SHA256',
      ifMatch: 'If-Match',
      ifNoneMatch: 'If-None-Match',
    },
  }),

  route('POST', '/v1/operator/jobs/{jobId}/refund', refundJob),
  route('POST', '/v1/operator/jobs/{jobId}/disclose', discloseOrder),
  route('POST', '/v1/operator/jobs/{jobId}/settle-payment', settleJobPayment),

  ...directoryWritingRoutes,
  ...dataOperatorRoutes,

  ...monitoringRoutes,
];

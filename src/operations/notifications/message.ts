/** What an account is told: Standard Webhooks' `{type, timestamp, data}`, without anything that opens a door. */
import type { DomainEvent, EventType } from '../../../events/catalog.ts';
import type { OrderText } from '../../../events/mandate-events.ts';
import type { NotificationType } from '../../../events/webhook-events.ts';
import type { JobDocument } from '../../../projections/jobs.ts';

type JobEventType = Exclude<EventType, 'WebhookEndpointDisabled'>;

/** The events of a job that its owner is told of. */
export const TOLD_OF: Readonly<Partial<Record<JobEventType, NotificationType>>> = {
  TrialDrafted: 'job.drafted',
  JobFunded: 'job.funded',
  JobStarted: 'job.started',
  JobCompleted: 'job.completed',
  JobFailed: 'job.failed',
  JobCancelled: 'job.cancelled',
  JobExpired: 'job.expired',
  JobRefunded: 'job.refunded',
  ArtifactAttached: 'job.artifact_attached',
};

/** The job as it was right after the event; its addresses are credentials and stay out. */
export function jobMessage(
  type: NotificationType,
  { at }: DomainEvent,
  job: JobDocument,
  metadata: OrderText['metadata'],
): string {
  const { id, status, agent, amountCents, currency, recordsCreated, expectedRecords, failure } = job;
  const { createdAt, updatedAt, history, artifacts } = job;
  const data = {
    id,
    status,
    agent,
    amountCents,
    currency,
    recordsCreated,
    expectedRecords,
    artifactCount: artifacts.length,
    ...(failure === null ? {} : { failure }),
    metadata,
    createdAt,
    updatedAt,
    history,
  };
  return JSON.stringify({ type, timestamp: at, data });
}

/** Told at the other addresses of the account: at this one nobody listens. */
export function endpointDisabledMessage(
  { at }: DomainEvent,
  data: { readonly endpointId: string; readonly reason: string },
): string {
  const { endpointId, reason } = data;
  return JSON.stringify({
    type: 'webhook_endpoint.disabled',
    timestamp: at,
    data: { endpointId, reason },
  });
}

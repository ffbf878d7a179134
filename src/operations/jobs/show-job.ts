/** A job as its owner sees it: the view's document with the addresses that only this service can sign. */
import type { JobDocument } from '../../../projections/jobs.ts';
import { recordToken } from '../records/record-token.ts';
import type { Services } from '../services.ts';
import type { Job } from './job-schema.ts';

type Links = Pick<Services, 'baseUrl' | 'signer'>;

export function showJob(document: JobDocument, { baseUrl, signer }: Links): Job {
  const { id, status, failure } = document;
  return {
    id,
    status,
    agent: document.agent,
    amountCents: document.amountCents,
    currency: document.currency,
    fundingUrl: isPayable(document) ? `${baseUrl}/checkout/${id}?t=${signer.sign('checkout', id)}` : null,
    fundingExpiresAt: document.fundingExpiresAt,
    recordWebhookUrl: `${baseUrl}/webhooks/record-created/${recordToken(id, signer)}`,
    recordsCreated: document.recordsCreated,
    expectedRecords: document.expectedRecords,
    artifactCount: document.artifacts.length,
    ...(document.paymentState === null ? {} : { paymentState: document.paymentState }),
    ...(failure === null ? {} : { failure }),
    metadata: document.metadata,
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
    history: document.history,
  };
}

/** While a payment is under way nobody is asked to pay again. */
function isPayable({ status, paymentState }: JobDocument): boolean {
  return status === 'draft' && paymentState === null;
}

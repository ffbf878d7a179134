/**
 * A job as its owner sees it: the view's document with the owner's notes and, for keys that may act, the links that act.
 * Links are made when the job is shown: they bear the key that asked.
 */
import type { JobDocument } from '../../../projections/jobs.ts';
import type { KeyHolder } from '../operation.ts';
import { LINK_SCOPE, recordToken, signLink } from './act-link.ts';
import type { Services } from '../services.ts';
import type { Job, OrderedJob } from './job-schema.ts';
import { orderTextOf } from './order-text.ts';
import { jobRevision } from './read-job.ts';

type Links = Pick<Services, 'baseUrl' | 'signer'>;
type Metadata = Job['metadata'];

/** @throws {AccountKeysUnavailable} */
export async function showJob(
  document: JobDocument,
  services: Links & Pick<Services, 'privateTexts'>,
  caller: KeyHolder,
): Promise<Job> {
  return showJobWith(document, await metadataOf(document, services), services, caller);
}

/** With what its owner asked for. @throws {AccountKeysUnavailable} */
export async function showOrderedJob(
  document: JobDocument,
  services: Links & Pick<Services, 'privateTexts'>,
  caller: KeyHolder,
): Promise<OrderedJob> {
  const order = await orderTextOf(document, services);
  const job = showJobWith(document, order?.metadata ?? {}, services, caller);
  return { ...job, brief: order?.brief ?? null, inputs: order?.inputs ?? null };
}

/** What its owner noted down; nothing, where the account's key was erased. @throws {AccountKeysUnavailable} */
export async function metadataOf(
  job: JobDocument,
  services: Pick<Services, 'privateTexts'>,
): Promise<Metadata> {
  return (await orderTextOf(job, services))?.metadata ?? {};
}

export function showJobWith(
  document: JobDocument,
  metadata: Metadata,
  services: Links,
  caller: KeyHolder,
): Job {
  const { id, status, failure } = document;
  const acts = mayAct(caller);
  return {
    id,
    status,
    keyId: document.keyId,
    agent: document.agent,
    amountCents: document.amountCents,
    currency: document.currency,
    fundingUrl: acts && isPayable(document) ? fundingUrl(document, services, caller) : null,
    fundingExpiresAt: document.fundingExpiresAt,
    recordWebhookUrl: acts ? recordWebhookUrl(document, services, caller) : null,
    recordsCreated: document.recordsCreated,
    expectedRecords: document.expectedRecords,
    artifactCount: document.artifacts.length,
    ...(document.paymentState === null ? {} : { paymentState: document.paymentState }),
    ...(failure === null ? {} : { failure }),
    metadata,
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
    history: document.history,
  };
}

/** Changes whenever what {@link showJob} shows to this caller does. */
export function shownRevision(job: JobDocument, caller: KeyHolder): string {
  return mayAct(caller) ? jobRevision(job) : `${jobRevision(job)}-read`;
}

/** A link does no more than its maker may: who may only read gets none. */
function mayAct({ scopes }: KeyHolder): boolean {
  return scopes.includes(LINK_SCOPE['checkout-pay']);
}

/** While a payment is under way nobody is asked to pay again. */
function isPayable({ status, paymentState }: JobDocument): boolean {
  return status === 'draft' && paymentState === null;
}

/** `t` pays; `c`, from a key that may cancel, cancels. */
function fundingUrl(job: JobDocument, { baseUrl, signer }: Links, { keyId, scopes }: KeyHolder): string {
  const { id: jobId, linkGeneration: generation, fundingExpiresAt } = job;
  const link = { jobId, keyId, generation, endsAtMs: Date.parse(fundingExpiresAt) };
  const pay = `${baseUrl}/checkout/${jobId}?t=${signLink(signer, 'checkout-pay', link)}`;
  if (!scopes.includes(LINK_SCOPE['checkout-cancel'])) return pay;
  return `${pay}&c=${signLink(signer, 'checkout-cancel', link)}`;
}

function recordWebhookUrl(job: JobDocument, { baseUrl, signer }: Links, { keyId }: KeyHolder): string {
  const { id: jobId, linkGeneration: generation } = job;
  const token = recordToken({ jobId, keyId, generation, endsAtMs: null }, signer);
  return `${baseUrl}/webhooks/record-created/${token}`;
}

/** Every job as its owner and its agency see it, but for the signed addresses, which are made when it is read. */
import { type JobStatus, jobStatusSchema } from '../events/job-status.ts';
import { z } from 'zod';
import { slug } from '../events/common.ts';
import type { FactOf, Occurred } from '../events/event.ts';
import type { JobFact, jobEvents } from '../events/job-events.ts';
import { trialOrderSchema } from '../events/mandate-events.ts';
import { changes, creates, defineProjection } from './projection.ts';

const jobDocumentSchema = z.strictObject({
  id: z.string(),
  accountId: z.string(),
  keyId: z.string(),
  mandateId: z.string(),
  spendId: z.string(),
  agency: slug,
  status: jobStatusSchema,
  agent: z.strictObject({ slug, name: z.string() }),
  amountCents: z.int(),
  currency: z.literal('usd'),
  fundingExpiresAt: z.string(),
  recordsCreated: z.int(),
  expectedRecords: z.int().nullable(),
  artifacts: z.array(
    z.strictObject({
      artifactId: z.string(),
      name: z.string(),
      contentType: z.string(),
      sizeBytes: z.int(),
      sha256: z.string(),
    }),
  ),
  /** Pending while a payment is under way whose outcome is not known. */
  paymentState: z.literal('pending').nullable(),
  failure: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  hasNotifyUrl: z.boolean(),
  /** What its buyer wrote freely, as the event has it: it is decrypted when it is read, for whoever may. */
  text: trialOrderSchema.shape.text,
  createdAt: z.string(),
  updatedAt: z.string(),
  history: z.array(z.strictObject({ status: jobStatusSchema, at: z.string() })),
  /** Links that act bear the generation they were made in; only those of this one work. */
  linkGeneration: z.int(),
  /** The revision of the job's stream that the document shows; records are counted beside it. */
  revision: z.int(),
});
export type JobDocument = z.output<typeof jobDocumentSchema>;

type Drafted = Extract<FactOf<(typeof jobEvents)[number]>, { type: 'TrialDrafted' }>['data'];
type Placed<T extends JobFact['type']> = Extract<Occurred<JobFact>, { type: T }> & {
  readonly revision: number;
};

/** The job as it begins. */
export function draftedJob(draft: Drafted, at: string): JobDocument {
  // Field by field: every spend makes one, and the rest of an object costs many times as much.
  return {
    id: draft.jobId,
    accountId: draft.accountId,
    keyId: draft.keyId,
    mandateId: draft.spend.mandateId,
    spendId: draft.spend.spendId,
    agency: draft.agency,
    status: 'draft',
    agent: draft.agent,
    amountCents: draft.amountCents,
    currency: draft.currency,
    fundingExpiresAt: draft.fundingExpiresAt,
    recordsCreated: 0,
    expectedRecords: draft.expectedRecords,
    artifacts: [],
    paymentState: null,
    failure: null,
    hasNotifyUrl: draft.hasNotifyUrl,
    text: draft.text,
    createdAt: at,
    updatedAt: at,
    history: [{ status: 'draft', at }],
    linkGeneration: 0,
    revision: 0,
  };
}

export const jobsProjection = defineProjection<JobDocument>({
  name: 'jobs',
  version: 5,
  summary: 'Every job with its state, for its owner and its agency.',
  schema: jobDocumentSchema,
  fields: {
    accountId: 'text',
    agency: 'text',
    status: 'text',
    createdAt: 'text',
    fundingExpiresAt: 'text',
  },
  orders: {
    '-createdAt': [{ field: 'createdAt', direction: 'desc' }],
    fundingExpiresAt: [{ field: 'fundingExpiresAt', direction: 'asc' }],
  },
  index: ({ accountId, agency, status, createdAt, fundingExpiresAt }) => {
    return { accountId, agency, status, createdAt, fundingExpiresAt };
  },
  on: {
    TrialDrafted: creates('jobId', (event) => draftedJob(event.data, event.at)),
    JobFunded: changes('jobId', (job, event) => ({
      ...moved(job, 'funded', event),
      paymentState: null,
    })),
    JobStarted: changes('jobId', movedTo('running')),
    JobCompleted: changes('jobId', movedTo('completed')),
    JobCancelled: changes('jobId', movedTo('cancelled')),
    JobExpired: changes('jobId', movedTo('expired')),
    JobRefunded: changes('jobId', movedTo('refunded')),
    JobFailed: changes('jobId', (job, event) => {
      const { code, message } = event.data;
      return { ...moved(job, 'failed', event), failure: { code, message } };
    }),
    ArtifactAttached: changes('jobId', (job, event) => {
      const { jobId: _, ...artifact } = event.data;
      const others = job.artifacts.filter(({ name }) => name !== artifact.name);
      return { ...touched(job, event), artifacts: [...others, artifact] };
    }),
    PaymentPending: changes('jobId', (job, event) => ({ ...touched(job, event), paymentState: 'pending' })),
    PaymentFailed: changes('jobId', (job, event) => ({ ...touched(job, event), paymentState: null })),
    PendingPaymentSettled: changes('jobId', touched),
    SurplusPaymentReceived: changes('jobId', touched),
    PaymentReturned: changes('jobId', touched),
    RecordSecretIssued: changes('jobId', touched),
    JobLinksWithdrawn: changes('jobId', (job, event) => ({
      ...touched(job, event),
      linkGeneration: event.data.linkGeneration,
    })),
    // Nothing of the job is another for it.
    OrderDisclosed: changes('jobId', (_, { revision }) => ({ revision })),
    // Not of the job's own stream: its revision says nothing of the job's.
    RecordAsserted: changes('jobId', (job, { at }) => ({
      recordsCreated: job.recordsCreated + 1,
      updatedAt: later(job.updatedAt, at),
    })),
  },
});

type At = Pick<Placed<JobFact['type']>, 'at' | 'revision'>;

type Change = Partial<JobDocument>;

function movedTo(status: JobStatus): (job: JobDocument, event: At) => Change {
  return (job, event) => moved(job, status, event);
}

function moved(job: JobDocument, status: JobStatus, event: At): Change {
  return { ...touched(job, event), status, history: [...job.history, { status, at: event.at }] };
}

function touched(job: JobDocument, { at, revision }: At): Change {
  return { updatedAt: later(job.updatedAt, at), revision };
}

/** A record may be told of with a time of another machine: a job never seems to have changed earlier than it did. */
function later(a: string, b: string): string {
  return a < b ? b : a;
}

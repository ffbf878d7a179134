/** Every job as its owner and its agency see it, but for the signed addresses, which are made when it is read. */
import { z } from 'zod';
import { slug } from '../events/common.ts';
import type { FactOf, Occurred } from '../events/event.ts';
import type { JobFact, jobEvents } from '../events/job-events.ts';
import { defineProjection, touching } from './projection.ts';

export const JOB_STATUSES = [
  'draft',
  'funded',
  'running',
  'completed',
  'failed',
  'cancelled',
  'expired',
  'refunded',
] as const;
export const jobStatusSchema = z.enum(JOB_STATUSES);
export type JobStatus = z.output<typeof jobStatusSchema>;

const jobDocumentSchema = z.strictObject({
  id: z.string(),
  accountId: z.string(),
  keyId: z.string(),
  mandateId: z.string(),
  agency: slug,
  status: jobStatusSchema,
  agent: z.strictObject({ slug, name: z.string() }),
  amountCents: z.int(),
  currency: z.literal('usd'),
  brief: z.string(),
  inputs: z.record(z.string(), z.json()).nullable(),
  fundingExpiresAt: z.string(),
  recordsCreated: z.int(),
  expectedRecords: z.int().nullable(),
  artifactCount: z.int(),
  failure: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  metadata: z.record(z.string(), z.string()),
  notifyUrl: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  history: z.array(z.strictObject({ status: jobStatusSchema, at: z.string() })),
  /** The revision of the job's stream that the document shows. */
  revision: z.int(),
});
export type JobDocument = z.output<typeof jobDocumentSchema>;

type Drafted = Extract<FactOf<(typeof jobEvents)[number]>, { type: 'TrialDrafted' }>['data'];
type Placed<T extends JobFact['type']> = Extract<Occurred<JobFact>, { type: T }> & {
  readonly revision: number;
};

/** The job as it begins. */
export function draftedJob(draft: Drafted, at: string): JobDocument {
  const { jobId, spend, notifyUrl, ...rest } = draft;
  return {
    ...rest,
    id: jobId,
    mandateId: spend.mandateId,
    status: 'draft',
    recordsCreated: 0,
    artifactCount: 0,
    failure: null,
    notifyUrl,
    createdAt: at,
    updatedAt: at,
    history: [{ status: 'draft', at }],
    revision: 0,
  };
}

export const jobsProjection = defineProjection<JobDocument>({
  name: 'jobs',
  version: 1,
  summary: 'Every job with its state, for its owner and its agency.',
  schema: jobDocumentSchema,
  fields: { accountId: 'text', agency: 'text', status: 'text', createdAt: 'text' },
  orders: { '-createdAt': [{ field: 'createdAt', direction: 'desc' }] },
  index: ({ accountId, agency, status, createdAt }) => ({ accountId, agency, status, createdAt }),
  on: {
    TrialDrafted: touching(jobIdOf, (_job, event) => draftedJob(event.data, event.at)),
    JobFunded: touching(jobIdOf, movedTo('funded')),
    JobStarted: touching(jobIdOf, movedTo('running')),
    JobCompleted: touching(jobIdOf, movedTo('completed')),
    JobCancelled: touching(jobIdOf, movedTo('cancelled')),
    JobExpired: touching(jobIdOf, movedTo('expired')),
    JobRefunded: touching(jobIdOf, movedTo('refunded')),
    JobFailed: touching(jobIdOf, (job, event) => {
      const { code, message } = event.data;
      return job && { ...moved(job, 'failed', event), failure: { code, message } };
    }),
    ArtifactAttached: touching(jobIdOf, (job, event) => {
      return job && { ...touched(job, event), artifactCount: job.artifactCount + 1 };
    }),
    RecordAsserted: touching(jobIdOf, (job, event) => {
      return job && { ...touched(job, event), recordsCreated: job.recordsCreated + 1 };
    }),
  },
});

function jobIdOf(event: { readonly data: { readonly jobId: string } }): string {
  return event.data.jobId;
}

type At = Pick<Placed<JobFact['type']>, 'at' | 'revision'>;

function movedTo(status: JobStatus): (job: JobDocument | undefined, event: At) => JobDocument | undefined {
  return (job, event) => job && moved(job, status, event);
}

function moved(job: JobDocument, status: JobStatus, event: At): JobDocument {
  return { ...touched(job, event), status, history: [...job.history, { status, at: event.at }] };
}

function touched(job: JobDocument, { at, revision }: At): JobDocument {
  return { ...job, updatedAt: at, revision };
}

/** A job from its draft to its end, as a union of its states. */
import { assertNever } from '../decider.ts';
import type { Occurred } from '../../events/event.ts';
import type { JobFact } from '../../events/job-events.ts';

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
export type JobStatus = (typeof JOB_STATUSES)[number];

export type TrialDraft = Extract<JobFact, { type: 'TrialDrafted' }>['data'];
export type JobPayment = Extract<JobFact, { type: 'JobFunded' }>['data']['payment'];

export interface ExistingJob {
  readonly status: JobStatus;
  readonly draft: TrialDraft;
  /** The payment that funded it; null until one did. */
  readonly payment: JobPayment | null;
}

export type Job = { readonly status: 'absent' } | ExistingJob;

export const noJob: Job = { status: 'absent' };

export function evolveJob(job: Job, event: Occurred<JobFact>): Job {
  if (event.type === 'TrialDrafted') return { status: 'draft', draft: event.data, payment: null };
  return job.status === 'absent' ? job : evolveExisting(job, event);
}

function evolveExisting(
  job: ExistingJob,
  event: Exclude<Occurred<JobFact>, { type: 'TrialDrafted' }>,
): ExistingJob {
  switch (event.type) {
    case 'JobFunded':
      return { ...job, status: 'funded', payment: event.data.payment };
    case 'JobStarted':
      return { ...job, status: 'running' };
    case 'JobCompleted':
      return { ...job, status: 'completed' };
    case 'JobFailed':
      return { ...job, status: 'failed' };
    case 'JobCancelled':
      return { ...job, status: 'cancelled' };
    case 'JobExpired':
      return { ...job, status: 'expired' };
    case 'JobRefunded':
      return { ...job, status: 'refunded' };
    case 'ArtifactAttached':
    case 'RecordAsserted':
      return job;
    default:
      return assertNever(event);
  }
}

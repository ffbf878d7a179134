/** A draft that comes to nothing: its owner cancels it, or its time is over. Its spend is released afterwards. */
import { accept, reject } from '../decider.ts';
import type { ExistingJob } from './job-state.ts';
import type { JobDecision } from './rejections.ts';

export interface CancelJob {
  readonly type: 'CancelJob';
}

export interface ExpireJob {
  readonly type: 'ExpireJob';
}

/** What is cancelled already is as it should be: whoever asks again need not know whether the first answer was lost. */
export function cancelJob(_: CancelJob, job: ExistingJob): JobDecision {
  if (job.status === 'cancelled') return accept();
  if (job.status !== 'draft') return reject({ kind: 'state', status: job.status });
  if (job.pendingPayment !== null) return reject({ kind: 'payment_pending' });
  return accept({ type: 'JobCancelled', data: { jobId: job.draft.jobId } });
}

/** A draft that was paid, cancelled or expired meanwhile is left as it is: the scheduler came late. */
export function expireJob(_: ExpireJob, job: ExistingJob, at: string): JobDecision {
  if (job.status !== 'draft') return accept();
  const { jobId, fundingExpiresAt } = job.draft;
  if (at < fundingExpiresAt) return reject({ kind: 'not_due', fundingExpiresAt });
  if (job.pendingPayment !== null) return reject({ kind: 'payment_pending' });
  return accept({ type: 'JobExpired', data: { jobId } });
}

/** Gives the payment of a job back and ends it; an operator's decision. */
import { accept, reject } from '../decider.ts';
import type { ExistingJob } from './job-state.ts';
import type { JobDecision } from './rejections.ts';

export interface RefundJob {
  readonly type: 'RefundJob';
  readonly reason: string;
}

export function refundJob({ reason }: RefundJob, job: ExistingJob): JobDecision {
  if (job.status !== 'funded' && job.status !== 'running')
    return reject({ kind: 'state', status: job.status });
  return accept({ type: 'JobRefunded', data: { jobId: job.draft.jobId, reason } });
}

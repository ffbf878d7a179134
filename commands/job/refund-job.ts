/** Gives the payment of a job back and ends it; an operator's decision. */
import { accept, reject } from '../decider.ts';
import type { Job } from './job-state.ts';
import type { JobDecision } from './rejections.ts';

export interface RefundJob {
  readonly type: 'RefundJob';
  readonly reason: string;
}

export function refundJob({ reason }: RefundJob, job: Job): JobDecision {
  if (job.status === 'absent') return reject({ kind: 'absent' });
  if (job.status !== 'funded' && job.status !== 'running')
    return reject({ kind: 'state', status: job.status });
  return accept({ type: 'JobRefunded', data: { jobId: job.draft.jobId, reason } });
}

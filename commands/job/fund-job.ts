/** Records the payment of a draft. The same payment again changes nothing; another one is refused. */
import { accept, reject } from '../decider.ts';
import { type ExistingJob, isSamePayment, type JobPayment } from './job-state.ts';
import type { JobDecision } from './rejections.ts';

export interface FundJob {
  readonly type: 'FundJob';
  readonly payment: JobPayment;
}

export function fundJob({ payment }: FundJob, job: ExistingJob): JobDecision {
  if (isSamePayment(payment, job.payment)) return accept();
  if (job.status !== 'draft') return reject({ kind: 'state', status: job.status });
  return accept({ type: 'JobFunded', data: { jobId: job.draft.jobId, payment } });
}

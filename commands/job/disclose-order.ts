/** Keeps on record that an operator reads what the buyer wrote, before it is shown. */
import { accept, type Decision, reject } from '../decider.ts';
import type { JobFact } from '../../events/job-events.ts';
import type { Job } from './job-state.ts';
import type { JobRejection } from './rejections.ts';

export interface DiscloseOrder {
  readonly type: 'DiscloseOrder';
  readonly reason: string;
}

export function discloseOrder({ reason }: DiscloseOrder, job: Job): Decision<JobFact, JobRejection> {
  if (job.status === 'absent') return reject({ kind: 'absent' });
  return accept({ type: 'OrderDisclosed', data: { jobId: job.draft.jobId, reason } });
}

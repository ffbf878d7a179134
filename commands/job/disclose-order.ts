/** Keeps on record that an operator reads what the buyer wrote, before it is shown. */
import { accept, reject } from '../decider.ts';
import type { Job } from './job-state.ts';
import type { JobDecision } from './rejections.ts';

export interface DiscloseOrder {
  readonly type: 'DiscloseOrder';
  readonly reason: string;
}

export function discloseOrder({ reason }: DiscloseOrder, job: Job): JobDecision {
  if (job.status === 'absent') return reject({ kind: 'absent' });
  return accept({ type: 'OrderDisclosed', data: { jobId: job.draft.jobId, reason } });
}

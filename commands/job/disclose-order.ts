/** Keeps on record that an operator reads what the buyer wrote, before it is shown. */
import { accept } from '../decider.ts';
import type { ExistingJob } from './job-state.ts';
import type { JobDecision } from './rejections.ts';

export interface DiscloseOrder {
  readonly type: 'DiscloseOrder';
  readonly reason: string;
}

export function discloseOrder({ reason }: DiscloseOrder, job: ExistingJob): JobDecision {
  return accept({ type: 'OrderDisclosed', data: { jobId: job.draft.jobId, reason } });
}

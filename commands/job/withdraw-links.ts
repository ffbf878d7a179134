/** The links that act on the job are void from now on; new ones bear the next generation. */
import { accept } from '../decider.ts';
import type { ExistingJob } from './job-state.ts';
import type { JobDecision } from './rejections.ts';

export interface WithdrawLinks {
  readonly type: 'WithdrawLinks';
}

export function withdrawLinks(_: WithdrawLinks, job: ExistingJob): JobDecision {
  const { jobId } = job.draft;
  return accept({ type: 'JobLinksWithdrawn', data: { jobId, linkGeneration: job.linkGeneration + 1 } });
}

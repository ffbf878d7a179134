/** The links that act on the job are void from now on; new ones bear the next generation. */
import { accept, type Decision, reject } from '../decider.ts';
import type { JobFact } from '../../events/job-events.ts';
import type { Job } from './job-state.ts';
import type { JobRejection } from './rejections.ts';

export interface WithdrawLinks {
  readonly type: 'WithdrawLinks';
}

export function withdrawLinks(job: Job): Decision<JobFact, JobRejection> {
  if (job.status === 'absent') return reject({ kind: 'absent' });
  const { jobId } = job.draft;
  return accept({ type: 'JobLinksWithdrawn', data: { jobId, linkGeneration: job.linkGeneration + 1 } });
}

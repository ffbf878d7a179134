/** Makes the draft job that an authorised spend leads to. A job that stands already is left as it is. */
import { accept, type Decision } from '../decider.ts';
import type { JobFact } from '../../events/job-events.ts';
import type { Job, TrialDraft } from './job-state.ts';
import type { JobRejection } from './rejections.ts';

export interface CreateTrial {
  readonly type: 'CreateTrial';
  readonly draft: TrialDraft;
}

export function createTrial({ draft }: CreateTrial, job: Job): Decision<JobFact, JobRejection> {
  if (job.status !== 'absent') return accept();
  return accept({ type: 'TrialDrafted', data: draft });
}

/** Makes the draft job that an authorised spend leads to. A job that stands already is left as it is. */
import { accept } from '../decider.ts';
import type { Job, TrialDraft } from './job-state.ts';
import type { JobDecision } from './rejections.ts';

export interface CreateTrial {
  readonly type: 'CreateTrial';
  readonly draft: TrialDraft;
}

export function createTrial({ draft }: CreateTrial, job: Job): JobDecision {
  if (job.status !== 'absent') return accept();
  return accept({ type: 'TrialDrafted', data: draft });
}

/** What the agency says of its work: it started, it is complete, or it failed and why. */
import { accept, reject } from '../decider.ts';
import type { ExistingJob } from './job-state.ts';
import type { JobDecision } from './rejections.ts';

export interface StartJob {
  readonly type: 'StartJob';
}

export interface CompleteJob {
  readonly type: 'CompleteJob';
}

export interface FailJob {
  readonly type: 'FailJob';
  readonly code: string;
  readonly message: string;
}

export function startJob(_: StartJob, job: ExistingJob): JobDecision {
  if (job.status !== 'funded') return reject({ kind: 'state', status: job.status });
  return accept({ type: 'JobStarted', data: { jobId: job.draft.jobId } });
}

export function completeJob(_: CompleteJob, job: ExistingJob): JobDecision {
  if (job.status !== 'running') return reject({ kind: 'state', status: job.status });
  const { jobId, agent } = job.draft;
  return accept({ type: 'JobCompleted', data: { jobId, agent: agent.slug, ...countsOf(job) } });
}

export function failJob({ code, message }: FailJob, job: ExistingJob): JobDecision {
  if (job.status !== 'running') return reject({ kind: 'state', status: job.status });
  const { jobId, agent } = job.draft;
  return accept({ type: 'JobFailed', data: { jobId, agent: agent.slug, code, message, ...countsOf(job) } });
}

/** As events say it. */
export function countsOf({ counts }: Pick<ExistingJob, 'counts'>): { readonly counts?: true } {
  return counts ? { counts } : {};
}

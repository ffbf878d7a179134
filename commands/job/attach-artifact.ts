/** Records a file that the agency delivered; its bytes are stored before. The same name again replaces the earlier one. */
import { accept, reject } from '../decider.ts';
import type { Artifact, ExistingJob } from './job-state.ts';
import type { JobDecision } from './rejections.ts';

export interface AttachArtifact {
  readonly type: 'AttachArtifact';
  readonly artifact: Artifact;
  /** The files that the job ever had when it was found that this one may be put there. */
  readonly attachments?: number;
}

/** Replaced files count too: a job's stream and folder stay bounded. */
export const MAX_ATTACHMENTS = 500;

export function attachArtifact({ artifact, attachments }: AttachArtifact, job: ExistingJob): JobDecision {
  if (job.status !== 'running') return reject({ kind: 'state', status: job.status });
  if (attachments !== undefined && attachments !== job.attachments) return reject({ kind: 'other_files' });
  if (job.attachments >= MAX_ATTACHMENTS)
    return reject({ kind: 'too_many_artifacts', limit: MAX_ATTACHMENTS });
  return accept({ type: 'ArtifactAttached', data: { jobId: job.draft.jobId, ...artifact } });
}

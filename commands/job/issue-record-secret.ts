/** From now on RECORD_CREATED posts of the job must be signed; a new secret ends the one before a day later. */
import { accept, reject } from '../decider.ts';
import { nextVersion } from '../overlapping-secrets.ts';
import type { ExistingJob } from './job-state.ts';
import type { JobDecision } from './rejections.ts';

export interface IssueRecordSecret {
  readonly type: 'IssueRecordSecret';
}

export function issueRecordSecret(_: IssueRecordSecret, job: ExistingJob, at: string): JobDecision {
  const secretVersion = nextVersion(job.recordSecrets, at);
  if (typeof secretVersion !== 'number') return reject(secretVersion);
  return accept({ type: 'RecordSecretIssued', data: { jobId: job.draft.jobId, secretVersion } });
}

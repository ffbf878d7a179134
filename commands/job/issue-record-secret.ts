/** From now on RECORD_CREATED posts of the job must be signed; a new secret ends the one before a day later. */
import { accept, reject } from '../decider.ts';
import { fullUntil, newestVersion } from '../overlapping-secrets.ts';
import type { Job } from './job-state.ts';
import type { JobDecision } from './rejections.ts';

export interface IssueRecordSecret {
  readonly type: 'IssueRecordSecret';
}

export function issueRecordSecret(job: Job, at: string): JobDecision {
  if (job.status === 'absent') return reject({ kind: 'absent' });
  const until = fullUntil(job.recordSecrets, at);
  if (until !== null) return reject({ kind: 'too_many_secrets', until });
  const { jobId } = job.draft;
  const secretVersion = newestVersion(job.recordSecrets) + 1;
  return accept({ type: 'RecordSecretIssued', data: { jobId, secretVersion } });
}

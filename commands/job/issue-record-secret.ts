/** From now on RECORD_CREATED posts of the job must be signed; a new secret ends the one before. */
import { accept, type Decision, reject } from '../decider.ts';
import type { JobFact } from '../../events/job-events.ts';
import type { Job } from './job-state.ts';
import type { JobRejection } from './rejections.ts';

export interface IssueRecordSecret {
  readonly type: 'IssueRecordSecret';
}

export function issueRecordSecret(job: Job): Decision<JobFact, JobRejection> {
  if (job.status === 'absent') return reject({ kind: 'absent' });
  const { jobId } = job.draft;
  return accept({
    type: 'RecordSecretIssued',
    data: { jobId, secretVersion: job.recordSecretVersion + 1 },
  });
}

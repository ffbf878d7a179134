/** The job: what became of a spend, from its draft to its end. */
import { assertNever, type Decider, type Decision } from '../decider.ts';
import type { JobFact } from '../../events/job-events.ts';
import { type CreateTrial, createTrial } from './create-trial.ts';
import { type CancelJob, cancelJob, type ExpireJob, expireJob } from './end-draft.ts';
import {
  type CompleteJob,
  completeJob,
  type FailJob,
  failJob,
  type StartJob,
  startJob,
} from './fulfil-job.ts';
import { type FundJob, fundJob } from './fund-job.ts';
import { evolveJob, type Job, noJob } from './job-state.ts';
import { type RefundJob, refundJob } from './refund-job.ts';
import type { JobRejection } from './rejections.ts';

export type JobCommand =
  | CreateTrial
  | FundJob
  | StartJob
  | CompleteJob
  | FailJob
  | CancelJob
  | ExpireJob
  | RefundJob;

export const jobDecider: Decider<Job, JobCommand, JobFact, JobRejection> = {
  family: 'job',
  initial: noJob,
  evolve: evolveJob,
  decide,
};

function decide(command: JobCommand, job: Job, at: string): Decision<JobFact, JobRejection> {
  switch (command.type) {
    case 'CreateTrial':
      return createTrial(command, job);
    case 'FundJob':
      return fundJob(command, job);
    case 'StartJob':
      return startJob(job);
    case 'CompleteJob':
      return completeJob(job);
    case 'FailJob':
      return failJob(command, job);
    case 'CancelJob':
      return cancelJob(job);
    case 'ExpireJob':
      return expireJob(job, at);
    case 'RefundJob':
      return refundJob(command, job);
    default:
      return assertNever(command);
  }
}

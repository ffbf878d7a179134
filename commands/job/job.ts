/** The job: what became of a spend, from its draft to its end. */
import { assertNever, type Decider, reject } from '../decider.ts';
import type { JobFact } from '../../events/job-events.ts';
import { type AttachArtifact, attachArtifact } from './attach-artifact.ts';
import { type CreateTrial, createTrial } from './create-trial.ts';
import { type DiscloseOrder, discloseOrder } from './disclose-order.ts';
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
import { type IssueRecordSecret, issueRecordSecret } from './issue-record-secret.ts';
import { evolveJob, type Job, noJob } from './job-state.ts';
import {
  type ReceivePayment,
  receivePayment,
  type RecordReturn,
  recordReturn,
  type ReportPaymentFailed,
  type ReportPaymentPending,
  reportFailed,
  reportPending,
} from './receive-payment.ts';
import { type RefundJob, refundJob } from './refund-job.ts';
import type { JobDecision, JobRejection } from './rejections.ts';
import { type SettlePayment, settlePayment } from './settle-payment.ts';
import { type WithdrawLinks, withdrawLinks } from './withdraw-links.ts';

export type JobCommand =
  | CreateTrial
  | FundJob
  | StartJob
  | CompleteJob
  | FailJob
  | CancelJob
  | ExpireJob
  | RefundJob
  | AttachArtifact
  | IssueRecordSecret
  | WithdrawLinks
  | DiscloseOrder
  | ReportPaymentPending
  | ReportPaymentFailed
  | ReceivePayment
  | RecordReturn
  | SettlePayment;

export const jobDecider: Decider<Job, JobCommand, JobFact, JobRejection> = {
  family: 'job',
  initial: noJob,
  evolve: evolveJob,
  decide,
};

function decide(command: JobCommand, job: Job, at: string): JobDecision {
  if (command.type === 'CreateTrial') return createTrial(command, job);
  if (job.status === 'absent') return reject({ kind: 'absent' });
  switch (command.type) {
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
    case 'AttachArtifact':
      return attachArtifact(command, job);
    case 'IssueRecordSecret':
      return issueRecordSecret(job, at);
    case 'WithdrawLinks':
      return withdrawLinks(job);
    case 'DiscloseOrder':
      return discloseOrder(command, job);
    case 'ReportPaymentPending':
      return reportPending(command, job);
    case 'ReportPaymentFailed':
      return reportFailed(command, job);
    case 'ReceivePayment':
      return receivePayment(command, job);
    case 'RecordReturn':
      return recordReturn(command, job);
    case 'SettlePayment':
      return settlePayment(command, job);
    default:
      return assertNever(command);
  }
}

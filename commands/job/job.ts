/** The job: what became of a spend, from its draft to its end. */
import type { JobFact } from '../../events/job-events.ts';
import { type CommandOf, decideBy, type Decider, reject } from '../decider.ts';
import { attachArtifact } from './attach-artifact.ts';
import { type CreateTrial, createTrial } from './create-trial.ts';
import { discloseOrder } from './disclose-order.ts';
import { cancelJob, expireJob } from './end-draft.ts';
import { completeJob, failJob, startJob } from './fulfil-job.ts';
import { fundJob } from './fund-job.ts';
import { issueRecordSecret } from './issue-record-secret.ts';
import { evolveJob, type Job, noJob } from './job-state.ts';
import { receivePayment, recordReturn, reportFailed, reportPending } from './receive-payment.ts';
import { refundJob } from './refund-job.ts';
import type { JobDecision, JobRejection } from './rejections.ts';
import { settlePayment } from './settle-payment.ts';
import { withdrawLinks } from './withdraw-links.ts';

/** Of a job that is there. */
const decisions = {
  FundJob: fundJob,
  StartJob: startJob,
  CompleteJob: completeJob,
  FailJob: failJob,
  CancelJob: cancelJob,
  ExpireJob: expireJob,
  RefundJob: refundJob,
  AttachArtifact: attachArtifact,
  IssueRecordSecret: issueRecordSecret,
  WithdrawLinks: withdrawLinks,
  DiscloseOrder: discloseOrder,
  ReportPaymentPending: reportPending,
  ReportPaymentFailed: reportFailed,
  ReceivePayment: receivePayment,
  RecordReturn: recordReturn,
  SettlePayment: settlePayment,
};

export type JobCommand = CreateTrial | CommandOf<typeof decisions>;

export const jobDecider: Decider<Job, JobCommand, JobFact, JobRejection> = {
  family: 'job',
  initial: noJob,
  evolve: evolveJob,
  decide,
};

function decide(command: JobCommand, job: Job, at: string): JobDecision {
  if (command.type === 'CreateTrial') return createTrial(command, job);
  if (job.status === 'absent') return reject({ kind: 'absent' });
  return decideBy(decisions, command, job, at);
}

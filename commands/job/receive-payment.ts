/**
 * Payments as providers tell of them: begun and not yet known, come to nothing, or made. Money that has moved is never
 * refused: it funds the draft, or it is kept on record as surplus and given back. Providers may tell twice, late and
 * out of order.
 */
import { accept, reject } from '../decider.ts';
import { type BegunPayment, type ExistingJob, isSamePayment, type JobPayment } from './job-state.ts';
import type { JobDecision } from './rejections.ts';

export interface ReportPaymentPending {
  readonly type: 'ReportPaymentPending';
  readonly payment: BegunPayment;
}

export interface ReportPaymentFailed {
  readonly type: 'ReportPaymentFailed';
  readonly payment: BegunPayment;
  readonly reason: string;
}

/** The payment was made, whatever the job thinks of it. */
export interface ReceivePayment {
  readonly type: 'ReceivePayment';
  readonly payment: JobPayment;
  /** Whether the account that buys is one of the agency's own. */
  readonly ofOwnAccount: boolean;
}

/** The provider gave the payment back. */
export interface RecordReturn {
  readonly type: 'RecordReturn';
  readonly payment: JobPayment;
}

/** Only for a draft with no other payment under way; what is known to be made is not pending any more. */
export function reportPending({ payment }: ReportPaymentPending, job: ExistingJob): JobDecision {
  if (isSamePayment(payment, job.pendingPayment) || isSamePayment(payment, job.payment)) return accept();
  if (job.pendingPayment !== null) return reject({ kind: 'payment_pending' });
  if (job.status !== 'draft') return reject({ kind: 'state', status: job.status });
  return accept({ type: 'PaymentPending', data: { jobId: job.draft.jobId, payment } });
}

/** News of a payment that nobody waits for changes nothing. */
export function reportFailed({ payment, reason }: ReportPaymentFailed, job: ExistingJob): JobDecision {
  if (!isSamePayment(payment, job.pendingPayment)) return accept();
  return accept({ type: 'PaymentFailed', data: { jobId: job.draft.jobId, payment, reason } });
}

export function receivePayment({ payment, ofOwnAccount }: ReceivePayment, job: ExistingJob): JobDecision {
  const known = [job.payment, ...job.surplus].some((one) => isSamePayment(payment, one));
  if (known) return accept();
  const data = { jobId: job.draft.jobId, payment };
  const isEnough = payment.amountCents >= job.draft.amountCents;
  if (job.status !== 'draft' || !isEnough) return accept({ type: 'SurplusPaymentReceived', data });
  return accept({ type: 'JobFunded', data: { ...data, ...(ofOwnAccount ? { ofOwnAccount } : {}) } });
}

export function recordReturn({ payment }: RecordReturn, job: ExistingJob): JobDecision {
  if (job.returned.some((one) => isSamePayment(payment, one))) return accept();
  return accept({ type: 'PaymentReturned', data: { jobId: job.draft.jobId, payment } });
}

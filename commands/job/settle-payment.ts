/**
 * A payment whose outcome no provider tells any more is settled by an operator, who knows it from elsewhere. Should the
 * provider tell of it after all, it is taken in as ever: money that has moved funds a draft once, or is given back.
 */
import { accept, reject } from '../decider.ts';
import type { JobFact } from '../../events/job-events.ts';
import type { ExistingJob } from './job-state.ts';
import type { JobDecision } from './rejections.ts';

export interface SettlePayment {
  readonly type: 'SettlePayment';
  readonly outcome: 'paid' | 'not_paid';
  readonly reason: string;
  /** Whether the account that bought is one of the agency's own. */
  readonly ofOwnAccount: boolean;
}

export function settlePayment(
  { outcome, reason, ofOwnAccount }: SettlePayment,
  job: ExistingJob,
): JobDecision {
  const { pendingPayment: payment } = job;
  if (payment === null) return reject({ kind: 'no_payment_pending' });
  const { jobId, amountCents } = job.draft;
  const settled = { type: 'PendingPaymentSettled', data: { jobId, payment, outcome, reason } } as const;
  if (outcome === 'not_paid')
    return accept<JobFact>(settled, { type: 'PaymentFailed', data: { jobId, payment, reason } });
  const funded = { jobId, payment: { ...payment, amountCents }, ...(ofOwnAccount ? { ofOwnAccount } : {}) };
  return accept<JobFact>(settled, { type: 'JobFunded', data: funded });
}

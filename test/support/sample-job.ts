/** A job for tests: a draft, and the facts that lead it into each of its states. */
import type { JobPayment, TrialDraft } from '../../commands/job/job-state.ts';
import type { JobStatus } from '../../events/job-status.ts';
import type { Occurred } from '../../events/event.ts';
import { idFrom } from '../../events/ids.ts';
import type { JobFact } from '../../events/job-events.ts';
import { AT, accountId, keyId, mandateId, order } from './sample-mandate.ts';

export const draft: TrialDraft = {
  ...order('a spend'),
  accountId,
  keyId,
  spend: { mandateId, spendId: idFrom('spend', AT, 'a spend'), revision: 1, period: '2026-11' },
  amountCents: 1_900,
  currency: 'usd',
  fundingExpiresAt: '2026-11-28T09:30:00.000Z',
};
export const { jobId } = draft;
const agent = draft.agent.slug;

export const payment: JobPayment = { provider: 'test', reference: 'payment-1', amountCents: 1_900 };

export const jobFacts = {
  drafted: { type: 'TrialDrafted', data: draft },
  funded: { type: 'JobFunded', data: { jobId, payment } },
  started: { type: 'JobStarted', data: { jobId } },
  completed: { type: 'JobCompleted', data: { jobId, agent } },
  failed: {
    type: 'JobFailed',
    data: { jobId, agent, code: 'unreadable', message: 'An image without text.' },
  },
  cancelled: { type: 'JobCancelled', data: { jobId } },
  expired: { type: 'JobExpired', data: { jobId } },
  refunded: { type: 'JobRefunded', data: { jobId, reason: 'The agency withdrew.' } },
} as const satisfies Record<string, JobFact>;

const { drafted, funded, started, completed, failed, cancelled, expired, refunded } = jobFacts;
const histories: Record<JobStatus | 'absent', readonly JobFact[]> = {
  absent: [],
  draft: [drafted],
  funded: [drafted, funded],
  running: [drafted, funded, started],
  completed: [drafted, funded, started, completed],
  failed: [drafted, funded, started, failed],
  cancelled: [drafted, cancelled],
  expired: [drafted, expired],
  refunded: [drafted, funded, refunded],
};

/** The events of a job that is in this state. */
export function jobIn(status: JobStatus | 'absent'): Occurred<JobFact>[] {
  return histories[status].map((fact) => ({ ...fact, at: AT }));
}

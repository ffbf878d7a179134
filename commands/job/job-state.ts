/** A job from its draft to its end, as a union of its states. */
import type { JobStatus } from '../../events/job-status.ts';
import { evolveBy, type Evolutions } from '../decider.ts';
import type { Occurred } from '../../events/event.ts';
import type { JobFact } from '../../events/job-events.ts';
import { type IssuedSecrets, withSecret } from '../overlapping-secrets.ts';

type Data<Type extends JobFact['type']> = Extract<JobFact, { type: Type }>['data'];
export type TrialDraft = Data<'TrialDrafted'>;
export type JobPayment = Data<'JobFunded'>['payment'];
export type BegunPayment = Data<'PaymentPending'>['payment'];
export type Artifact = Omit<Data<'ArtifactAttached'>, 'jobId'>;

/** What is decided by. The text of the order is not: up to 64 KiB, which thousands of states would keep in memory. */
type Draft = Omit<TrialDraft, 'text'>;

export interface ExistingJob {
  readonly status: JobStatus;
  readonly draft: Draft;
  /** Whether its order was stored before such texts were encrypted. */
  readonly hasClearText: boolean;
  /** The payment that funded it; null until one did. */
  readonly payment: JobPayment | null;
  /** Whether what comes of it counts among the outcomes of the agent: real money paid it, and not the agency's own. */
  readonly counts: boolean;
  /** A payment whose outcome is not known; only drafts have one. */
  readonly pendingPayment: BegunPayment | null;
  /** Payments that it did not need. */
  readonly surplus: readonly JobPayment[];
  /** Payments that were given back. */
  readonly returned: readonly JobPayment[];
  /** None where RECORD_CREATED posts need no signature. */
  readonly recordSecrets: IssuedSecrets;
  /** Links that act bear the generation they were made in; only those of this one work. */
  readonly linkGeneration: number;
  /** When it came to an end; null while it has not. */
  readonly endedAt: string | null;
  /** Files that were ever delivered, replaced ones included. */
  readonly attachments: number;
}

export type Job = { readonly status: 'absent' } | ExistingJob;

export const noJob: Job = { status: 'absent' };

export function evolveJob(job: Job, event: Occurred<JobFact>): Job {
  if (event.type === 'TrialDrafted') return draftedJob(event.data);
  return job.status === 'absent' ? job : evolveBy(evolutions, job, event);
}

function draftedJob(draft: TrialDraft): ExistingJob {
  return {
    status: 'draft',
    draft: withoutText(draft),
    hasClearText: 'clear' in draft.text,
    payment: null,
    counts: false,
    pendingPayment: null,
    surplus: [],
    returned: [],
    recordSecrets: [],
    linkGeneration: 0,
    endedAt: null,
    attachments: 0,
  };
}

/** Member by member: every spend makes one, and the rest of an object costs many times as much. */
function withoutText(draft: TrialDraft): Draft {
  return {
    jobId: draft.jobId,
    agent: draft.agent,
    agency: draft.agency,
    expectedRecords: draft.expectedRecords,
    hasNotifyUrl: draft.hasNotifyUrl,
    accountId: draft.accountId,
    keyId: draft.keyId,
    spend: draft.spend,
    amountCents: draft.amountCents,
    currency: draft.currency,
    fundingExpiresAt: draft.fundingExpiresAt,
  };
}

const evolutions: Evolutions<ExistingJob, Exclude<JobFact, { type: 'TrialDrafted' }>> = {
  JobFunded: (job, { data }) => ({ ...job, ...fundedBy(data), status: 'funded', pendingPayment: null }),
  JobStarted: (job) => ({ ...job, status: 'running' }),
  JobCompleted: (job, { at }) => ({ ...job, status: 'completed', endedAt: at }),
  JobFailed: (job, { at }) => ({ ...job, status: 'failed', endedAt: at }),
  JobCancelled: (job, { at }) => ({ ...job, status: 'cancelled', endedAt: at }),
  JobExpired: (job, { at }) => ({ ...job, status: 'expired', endedAt: at }),
  JobRefunded: (job, { at }) => ({ ...job, status: 'refunded', endedAt: at }),
  PaymentPending: (job, { data }) => ({ ...job, pendingPayment: data.payment }),
  PaymentFailed: (job) => ({ ...job, pendingPayment: null }),
  PendingPaymentSettled: (job) => job,
  SurplusPaymentReceived: (job, { data }) => ({ ...job, surplus: [...job.surplus, data.payment] }),
  PaymentReturned: (job, { data }) => ({ ...job, returned: [...job.returned, data.payment] }),
  RecordSecretIssued: (job, { data, at }) => {
    return { ...job, recordSecrets: withSecret(job.recordSecrets, data.secretVersion, at) };
  },
  JobLinksWithdrawn: (job, { data }) => ({ ...job, linkGeneration: data.linkGeneration }),
  OrderDisclosed: (job) => job,
  ArtifactAttached: (job) => ({ ...job, attachments: job.attachments + 1 }),
};

function fundedBy({ payment, ofOwnAccount }: Data<'JobFunded'>): Pick<ExistingJob, 'payment' | 'counts'> {
  return { payment, counts: payment.provider !== 'test' && ofOwnAccount !== true };
}

export function isSamePayment(payment: BegunPayment, known: BegunPayment | null): boolean {
  return known !== null && known.provider === payment.provider && known.reference === payment.reference;
}

/** What a job answers to a command, and the ways in which it says no. */
import type { JobFact } from '../../events/job-events.ts';
import type { Decision } from '../decider.ts';
import type { JobStatus } from '../../events/job-status.ts';
import type { TooManySecrets } from '../overlapping-secrets.ts';

export type JobRejection =
  | { readonly kind: 'absent' }
  /** The command does not apply to a job in this state. */
  | { readonly kind: 'state'; readonly status: JobStatus }
  /** A draft may not expire before its time. */
  | { readonly kind: 'not_due'; readonly fundingExpiresAt: string }
  /** A payment is under way whose outcome is not known: until it is, the draft stays as it is. */
  | { readonly kind: 'payment_pending' }
  /** There is none whose outcome is unknown. */
  | { readonly kind: 'no_payment_pending' }
  /** A file came since it was found that this one may be put there. */
  | { readonly kind: 'other_files' }
  | { readonly kind: 'too_many_artifacts'; readonly limit: number }
  | TooManySecrets;

export type JobDecision = Decision<JobFact, JobRejection>;

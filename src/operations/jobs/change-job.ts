/** Running a command on a job and answering with the job right after it. */
import { type JobCommand, jobDecider } from '../../../commands/job/job.ts';
import type { JobRejection } from '../../../commands/job/rejections.ts';
import { assertNever } from '../../../commands/decider.ts';
import { LogContradiction } from '../../../events/event-store.ts';
import { type JobDocument, jobsProjection } from '../../../projections/jobs.ts';
import type { CommandCall } from '../../commanding/command-call.ts';
import { afterEffect } from '../after-effect.ts';
import { idempotencyMismatch } from '../idempotency.ts';
import { refuse, standsAt, type Refused } from '../refusals.ts';
import type { Services } from '../services.ts';
import { unlessShown } from '../unless-shown.ts';
import { tooMany, tooManySecrets } from '../too-many.ts';
import { jobAt, noSuchJob, wrongJobState } from './read-job.ts';

export type ChangedJob =
  | { readonly ok: true; readonly job: JobDocument; readonly replayed: boolean }
  | Refused;

export async function changeJob(
  services: Pick<Services, 'commands' | 'events' | 'views'>,
  jobId: string,
  command: JobCommand,
  call: CommandCall,
): Promise<ChangedJob> {
  const outcome = await services.commands.run(jobDecider, jobId, command, call);
  switch (outcome.kind) {
    case 'mismatch':
      return idempotencyMismatch();
    case 'rejected':
      if (outcome.rejection.kind === 'absent') await unlessShown(services.views, jobsProjection, jobId);
      return refuseJob(jobId, outcome.rejection);
    case 'accepted':
    case 'replayed': {
      const job = await afterEffect(jobAt(services, jobId, outcome.revision));
      if (job === undefined) throw new LogContradiction(`${jobId} was changed and is not there`);
      return { ok: true, job, replayed: outcome.kind === 'replayed' };
    }
    default:
      return assertNever(outcome);
  }
}

function refuseJob(jobId: string, rejection: JobRejection): Refused {
  switch (rejection.kind) {
    case 'absent':
      return noSuchJob(jobId);
    case 'state':
      return wrongJobState(rejection.status);
    case 'not_due': {
      const { fundingExpiresAt } = rejection;
      return refuse('job_state', `the draft can be paid until ${fundingExpiresAt}`, {
        details: standsAt('fundingExpiresAt', fundingExpiresAt),
      });
    }
    case 'payment_pending':
      return refuse('job_state', 'a payment for the draft is under way and its outcome is not known yet', {
        details: [...standsAt('status', 'draft'), ...standsAt('paymentState', 'pending')],
      });
    case 'no_payment_pending':
      return refuse('job_state', 'no payment for the job is pending', {
        details: standsAt('paymentState', 'none'),
      });
    case 'other_files':
      return refuse(
        'precondition_failed',
        'Another file came meanwhile: look at what is there, and send yours again.',
      );
    case 'too_many_artifacts': {
      const { limit } = rejection;
      const message = `a job takes at most ${limit} files, replaced ones included`;
      return tooMany(message, limit, 'name', `at most ${limit} files`);
    }
    case 'too_many_secrets':
      return tooManySecrets(rejection);
    default:
      return assertNever(rejection);
  }
}

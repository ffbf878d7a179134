/** What the local test checkout does: shows a job, pays it with no money moving, or cancels it. */
import type { JobDocument } from '../../../projections/jobs.ts';
import { afterEffect } from '../after-effect.ts';
import { changeJob, type ChangedJob } from './change-job.ts';
import { readJob } from './read-job.ts';
import { releaseSpendOf } from './release-spend-of.ts';
import type { Services } from '../services.ts';

export interface CheckoutCall {
  readonly at: string;
  readonly requestId: string;
  /** Who holds the link, as far as it tells. */
  readonly actor: string;
}

export function showCheckout(services: Services, jobId: string): Promise<JobDocument | undefined> {
  return readJob(services, jobId);
}

/** One test payment for each job: paying twice is paying once. */
export function payTestCheckout(
  services: Services,
  job: Pick<JobDocument, 'id' | 'amountCents'>,
  call: CheckoutCall,
): Promise<ChangedJob> {
  const payment = { provider: 'test', reference: `test-${job.id}`, amountCents: job.amountCents } as const;
  const commandId = `test-payment:${job.id}`;
  return changeJob(services, job.id, { type: 'FundJob', payment }, { ...call, commandId });
}

export async function cancelCheckout(
  services: Services,
  job: Pick<JobDocument, 'id'>,
  call: CheckoutCall,
): Promise<ChangedJob> {
  const cause = { ...call, commandId: `checkout-cancel:${job.id}` };
  const changed = await changeJob(services, job.id, { type: 'CancelJob' }, cause);
  if (changed.ok) await afterEffect(releaseSpendOf(services, job.id, 'job_cancelled', cause));
  return changed;
}

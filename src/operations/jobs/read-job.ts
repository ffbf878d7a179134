/** A job that is never older than what this process wrote itself: a view that lags is overtaken by its own log. */
import { jobDecider } from '../../../commands/job/job.ts';
import { type JobDocument, jobsProjection } from '../../../projections/jobs.ts';
import { streamIdOf } from '../../runners/command-runner.ts';
import { projectStream } from '../../runners/project-stream.ts';
import { readView } from '../read-view.ts';
import type { KeyHolder } from '../operation.ts';
import { refuse, type Refusal } from '../refusals.ts';
import type { Services } from '../services.ts';

type Reading = Pick<Services, 'events' | 'views' | 'commands'>;

export async function readJob(services: Reading, jobId: string): Promise<JobDocument | undefined> {
  const shown = await readView(services.views, jobsProjection, jobId);
  const known = services.commands.knownRevision(streamIdOf(jobDecider, jobId));
  return shown !== undefined && shown.revision >= known ? shown : jobAt(services, jobId);
}

/** The job as it was right after `revision` of its stream, or as it is now. */
export function jobAt(
  { events }: Pick<Services, 'events'>,
  jobId: string,
  revision = Infinity,
): Promise<JobDocument | undefined> {
  return projectStream(events, jobsProjection, streamIdOf(jobDecider, jobId), jobId, revision);
}

/** The job if it belongs to the caller's account. What belongs to somebody else looks like what does not exist. */
export async function ownJob(
  services: Reading,
  jobId: string,
  caller: KeyHolder,
): Promise<JobDocument | { readonly ok: false; readonly refusal: Refusal }> {
  const job = await readJob(services, jobId);
  return job === undefined || job.accountId !== caller.accountId ? noSuchJob(jobId) : job;
}

/** The job if it is one of the caller's agency. */
export async function agencyJob(
  services: Reading,
  jobId: string,
  caller: KeyHolder,
): Promise<JobDocument | { readonly ok: false; readonly refusal: Refusal }> {
  const job = await readJob(services, jobId);
  return job === undefined || caller.agency === null || job.agency !== caller.agency ? noSuchJob(jobId) : job;
}

export function noSuchJob(jobId: string): { readonly ok: false; readonly refusal: Refusal } {
  return refuse('not_found', `there is no job ${jobId} among yours`);
}

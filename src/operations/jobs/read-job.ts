/** A job that is never older than its stream: a view that lags behind, wherever it is projected, is overtaken by the log. */
import { jobDecider } from '../../../commands/job/job.ts';
import { LogContradiction } from '../../../events/event-store.ts';
import type { JobStatus } from '../../../events/job-status.ts';
import { lastRevision } from '../../../events/last-revision.ts';
import { type JobDocument, jobsProjection } from '../../../projections/jobs.ts';
import { streamIdOf } from '../../commanding/command-runner.ts';
import { projectStream } from '../../projecting/project-stream.ts';
import { readView } from '../read-view.ts';
import type { KeyHolder } from '../operation.ts';
import { refuse, type Refused, standsAt } from '../refusals.ts';
import type { Services } from '../services.ts';

type Reading = Pick<Services, 'events' | 'views'>;

export async function readJob(services: Reading, jobId: string): Promise<JobDocument | undefined> {
  const streamId = streamIdOf(jobDecider, jobId);
  const [shown, written] = await Promise.all([
    readView(services.views, jobsProjection, jobId),
    lastRevision(services.events, streamId),
  ]);
  if (shown === undefined || shown.revision < written)
    return withRecords(await foldJob(services, jobId), shown);
  // The view may have been read after an event that came after the look at the log.
  if (shown.revision > written && (await lastRevision(services.events, streamId)) < shown.revision)
    throw new LogContradiction(
      `${jobId} is shown at revision ${shown.revision}, and the log has it at ${written}`,
    );
  return shown;
}

/** The job as it was right after `revision` of its stream, or as it is now. */
export async function jobAt(
  { events, views }: Pick<Services, 'events' | 'views'>,
  jobId: string,
  revision = Infinity,
): Promise<JobDocument | undefined> {
  const job = await foldJob({ events }, jobId, revision);
  return withRecords(job, await readView(views, jobsProjection, jobId));
}

function foldJob(
  { events }: Pick<Services, 'events'>,
  jobId: string,
  revision = Infinity,
): Promise<JobDocument | undefined> {
  return projectStream(events, jobsProjection, streamIdOf(jobDecider, jobId), jobId, revision);
}

/** Records have streams of their own, without number: how many there are only the view knows. */
function withRecords(job: JobDocument | undefined, shown: JobDocument | undefined): JobDocument | undefined {
  if (job === undefined || shown === undefined || shown.recordsCreated === 0) return job;
  return { ...job, recordsCreated: shown.recordsCreated };
}

/** Changes whenever the job does: records are counted beside its stream. */
export function jobRevision({ id, revision, recordsCreated }: JobDocument): string {
  return `${id}-${revision}-${recordsCreated}`;
}

/** The job if it belongs to the caller's account. What belongs to somebody else looks like what does not exist. */
export async function ownJob(
  services: Reading,
  jobId: string,
  caller: KeyHolder,
): Promise<JobDocument | Refused> {
  const job = await readJob(services, jobId);
  return job === undefined || job.accountId !== caller.accountId ? noSuchJob(jobId) : job;
}

/** The job if it is one of the caller's agency. */
export async function agencyJob(
  services: Reading,
  jobId: string,
  caller: KeyHolder,
): Promise<JobDocument | Refused> {
  const job = await readJob(services, jobId);
  return job === undefined || caller.agency === null || job.agency !== caller.agency ? noSuchJob(jobId) : job;
}

export function wrongJobState(status: JobStatus): Refused {
  return refuse('job_state', `the job is ${status}, which does not allow this`, {
    details: standsAt('status', status),
  });
}

export function noSuchJob(jobId: string): Refused {
  return refuse('not_found', `there is no job ${jobId} among yours`);
}

/**
 * The jobs of an account, the newest first, as far as somebody reads. What has no index of its own is looked for this
 * way: an index more would cost every trial.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type JobDocument, jobsProjection } from '../../../projections/jobs.ts';
import type { Keyset } from '../../../projections/view-store.ts';
import { parseDocument } from '../../../projections/stored-document.ts';
import type { Services } from '../services.ts';

/** At most so much is read and parsed without others being answered: some hundred jobs, or three of the largest orders. */
const AT_ONCE = { limit: 200, maxBytes: 512 * 1_024 } as const;
/** Comes after every id of a job. */
const AFTER_ALL_IDS = 'job_~';

export interface JobRange {
  readonly accountId: string;
  readonly status?: string | undefined;
  /** Made at this moment or later. */
  readonly from?: string | undefined;
  /** Made before this moment. */
  readonly before?: string | undefined;
}

export interface WalkedJob {
  readonly job: JobDocument;
  /** Its document as it is stored: no shorter than what is shown of what its buyer wrote. */
  readonly row: string;
}

export type JobPlace = readonly [createdAt: string, jobId: string];

export function placeOf({ createdAt, id }: Pick<JobDocument, 'createdAt' | 'id'>): JobPlace {
  return [createdAt, id];
}

/** @param after the place of the job before the first */
export async function* walkJobs(
  { views }: Pick<Services, 'views'>,
  { accountId, status, from, before }: JobRange,
  after?: JobPlace,
): AsyncGenerator<WalkedJob> {
  const filter = status === undefined ? { accountId } : { accountId, status };
  const start = before === undefined ? undefined : [before, AFTER_ALL_IDS];
  let place: Keyset | null | undefined = after ?? start;
  do {
    const page = { filter, order: '-createdAt', ...AT_ONCE };
    const { rows, next } = await views.page(jobsProjection.name, {
      ...page,
      ...(place === undefined ? {} : { after: place }),
    });
    for (const row of rows) {
      const job = parseDocument<JobDocument>(row);
      if (from !== undefined && job.createdAt < from) return;
      yield { job, row };
    }
    place = next;
    // Where the views are a file of ours, nobody else would be answered before the last page.
    if (place !== null) await nextTurn();
  } while (place !== null);
}

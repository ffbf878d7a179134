/** What the view of jobs still knows of spends that were acknowledged and that the log has lost. */
import { jobDecider } from '../../commands/job/job.ts';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import { decodeEvent } from '../../events/catalog.ts';
import type { EventStore } from '../../events/event-store.ts';
import { type JobDocument, jobsProjection } from '../../projections/jobs.ts';
import { type Keyset, ViewBeingBuilt, type ViewStore } from '../../projections/view-store.ts';
import { parseDocument } from '../operations/read-view.ts';

export type LostSpend = Pick<
  JobDocument,
  'id' | 'spendId' | 'mandateId' | 'keyId' | 'amountCents' | 'createdAt'
>;

const PAGE_JOBS = 200;

/**
 * Spends that stood when the view saw them last. One that was recovered already is among them: doing so again changes
 * nothing.
 * @param onProgress told how many jobs were looked for
 */
export async function* lostSpends(
  events: EventStore,
  views: ViewStore,
  onProgress: (jobs: number) => void,
): AsyncGenerator<LostSpend, void> {
  let after: Keyset | undefined;
  for (let jobs = 0; ;) {
    const page = await jobsAfter(views, after);
    for (const row of page.rows) {
      const job = parseDocument<JobDocument>(row);
      if (isCounted(job) && (await isLost(events, job))) yield job;
    }
    jobs += page.rows.length;
    onProgress(jobs);
    if (page.next === null) return;
    after = page.next;
  }
}

async function jobsAfter(views: ViewStore, after: Keyset | undefined) {
  const query = { filter: {}, order: '-createdAt', limit: PAGE_JOBS, ...(after && { after }) };
  try {
    return await views.page(jobsProjection.name, query);
  } catch (error) {
    // It knows nothing then, or was forgotten already.
    if (error instanceof ViewBeingBuilt) return { rows: [], next: null };
    throw error;
  }
}

/** What came to nothing was given back. */
function isCounted({ status }: JobDocument): boolean {
  return status !== 'cancelled' && status !== 'expired';
}

/** The spend is first in the log and its job follows: where the job is, the spend is. */
async function isLost(events: EventStore, { id, mandateId, spendId }: JobDocument): Promise<boolean> {
  for await (const _ of events.read(`${jobDecider.family}-${id}`)) return false;
  for await (const event of events.read(`${mandateDecider.family}-${mandateId}`, {
    direction: 'backwards',
  })) {
    const { type, data } = decodeEvent(event);
    if (type === 'MandateSpent' && data.spendId === spendId) return false;
  }
  return true;
}

/** What the view of jobs still knows of spends that were acknowledged and that the log has lost. */
import { LRUCache } from 'lru-cache';
import { jobDecider } from '../../commands/job/job.ts';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import { decodeEvent } from '../../events/catalog.ts';
import type { EventStore } from '../../events/event-store.ts';
import { type JobDocument, jobsProjection } from '../../projections/jobs.ts';
import { type Keyset, ViewBeingBuilt, type ViewStore } from '../../projections/view-store.ts';
import { parseDocument } from '../operations/read-view.ts';

export interface LostSpend extends Pick<
  JobDocument,
  'id' | 'spendId' | 'mandateId' | 'keyId' | 'amountCents' | 'createdAt'
> {
  /** Counted again already, by an acceptance that was broken off. */
  readonly isRecovered: boolean;
}

const PAGE_JOBS = 200;
/** Of the mandates that were looked at last: some 100 MB. Others are read once more. */
const MOST_REMEMBERED_SPENDS = 1_000_000;

/**
 * Spends that stood when the view saw them last.
 * @param onProgress told how many jobs were looked for
 */
export async function* lostSpends(
  events: EventStore,
  views: ViewStore,
  onProgress: (jobs: number) => void,
): AsyncGenerator<LostSpend, void> {
  const spendsOf = spendsByMandate(events);
  let after: Keyset | undefined;
  for (let jobs = 0; ;) {
    const page = await jobsAfter(views, after);
    for (const row of page.rows) {
      const job = parseDocument<JobDocument>(row);
      // The spend is first in the log and its job follows: where the job is, the spend is.
      if (!isCounted(job) || (await isBegun(events, job))) continue;
      const spends = await spendsOf(job.mandateId);
      if (!spends.made.has(job.spendId)) yield { ...job, isRecovered: spends.recovered.has(job.spendId) };
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

async function isBegun(events: EventStore, { id }: JobDocument): Promise<boolean> {
  for await (const _ of events.read(`${jobDecider.family}-${id}`)) return true;
  return false;
}

/** Ids of the spends that a mandate's stream holds. */
interface Spends {
  readonly made: ReadonlySet<string>;
  readonly recovered: ReadonlySet<string>;
}

/** Each stream is read once, however many jobs of it are lost. */
function spendsByMandate(events: EventStore): (mandateId: string) => Promise<Spends> {
  const known = new LRUCache<string, Spends>({
    maxSize: MOST_REMEMBERED_SPENDS,
    sizeCalculation: ({ made, recovered }) => made.size + recovered.size + 1,
  });
  return async (mandateId) => {
    const spends = known.get(mandateId) ?? (await spendsIn(events, mandateId));
    known.set(mandateId, spends);
    return spends;
  };
}

async function spendsIn(events: EventStore, mandateId: string): Promise<Spends> {
  const made = new Set<string>();
  const recovered = new Set<string>();
  for await (const event of events.read(`${mandateDecider.family}-${mandateId}`)) {
    const { type, data } = decodeEvent(event);
    if (type === 'MandateSpent') made.add(data.spendId);
    if (type === 'SpendRecovered') recovered.add(data.spendId);
  }
  return { made, recovered };
}

/** What the view of jobs still knows that was acknowledged and that the log has lost. */
import { LRUCache } from 'lru-cache';
import { jobDecider } from '../../commands/job/job.ts';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import { decodeEvent } from '../../events/catalog.ts';
import type { EventStore } from '../../events/event-store.ts';
import { lastRevision } from '../../events/last-revision.ts';
import { type JobDocument, jobsProjection } from '../../projections/jobs.ts';
import { ViewBeingBuilt, type ViewStore } from '../../projections/view-store.ts';
import { streamIdOf } from '../commanding/command-runner.ts';
import { walkView } from '../operations/walk-view.ts';

export interface LostSpend extends Pick<
  JobDocument,
  'id' | 'spendId' | 'mandateId' | 'keyId' | 'amountCents' | 'createdAt'
> {
  /** Counted again already, by an acceptance that was broken off. */
  readonly isRecovered: boolean;
}

/** A job that had gone further than the log says; its spend is there. */
export interface LostProgress extends Pick<JobDocument, 'id' | 'status'> {
  /** Nothing but its draft is left: unless it is paid, it expires and gives its spend back. */
  readonly isDraftAgain: boolean;
}

export type Lost =
  | { readonly kind: 'spend'; readonly spend: LostSpend }
  | { readonly kind: 'progress'; readonly job: LostProgress };

const NEWEST_FIRST = { filter: {}, order: '-createdAt' };
const TOLD_EVERY = 200;
/** Of the mandates that were looked at last: some 100 MB. Others are read once more. */
const MOST_REMEMBERED_SPENDS = 1_000_000;

/**
 * Spends that stood when the view saw them last, and jobs of which it saw more than there is.
 * @param onProgress told how many jobs were looked for
 */
export async function* lostOfJobs(
  events: EventStore,
  views: ViewStore,
  onProgress: (jobs: number) => void,
): AsyncGenerator<Lost, void> {
  const spendsOf = spendsByMandate(events);
  let jobs = 0;
  try {
    for await (const job of walkView<JobDocument>(views, jobsProjection.name, NEWEST_FIRST)) {
      const lost = await lostOf(job, events, spendsOf);
      if (lost !== null) yield lost;
      jobs += 1;
      if (jobs % TOLD_EVERY === 0) onProgress(jobs);
    }
  } catch (error) {
    // The view knows nothing then, or was forgotten already.
    if (!(error instanceof ViewBeingBuilt)) throw error;
  }
  onProgress(jobs);
}

async function lostOf(job: JobDocument, events: EventStore, spendsOf: SpendsOf): Promise<Lost | null> {
  const revision = await lastRevision(events, streamIdOf(jobDecider, job.id));
  if (revision >= job.revision) return null;
  const isDraftAgain = revision === 0 && job.status !== 'draft';
  const progress = { kind: 'progress', job: { id: job.id, status: job.status, isDraftAgain } } as const;
  // The spend is first in the log and its job follows: where anything of the job is, the spend is.
  if (revision >= 0) return progress;
  const spends = await spendsOf(job.mandateId);
  if (spends.made.has(job.spendId)) return progress;
  if (!isCounted(job)) return null;
  return { kind: 'spend', spend: { ...job, isRecovered: spends.recovered.has(job.spendId) } };
}

/** What came to nothing was given back. */
function isCounted({ status }: JobDocument): boolean {
  return status !== 'cancelled' && status !== 'expired';
}

/** Ids of the spends that a mandate's stream holds. */
interface Spends {
  readonly made: ReadonlySet<string>;
  readonly recovered: ReadonlySet<string>;
}

type SpendsOf = (mandateId: string) => Promise<Spends>;

/** Each stream is read once, however many jobs of it are lost. */
function spendsByMandate(events: EventStore): SpendsOf {
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

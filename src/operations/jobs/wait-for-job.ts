/** Holds an answer until a job's state is another one: a client that waits hears of it at once and asks once a minute. */
import { jobDecider } from '../../../commands/job/job.ts';
import { assertNever } from '../../../commands/decider.ts';
import type { JobStatus } from '../../../events/job-status.ts';
import type { JobDocument } from '../../../projections/jobs.ts';
import { streamIdOf } from '../../commanding/command-runner.ts';
import type { KeyedCall } from '../operation.ts';
import { refuse, type Refused } from '../refusals.ts';
import type { Services } from '../services.ts';
import { withinBudget } from '../time-budget.ts';
import { jobAt } from './read-job.ts';
import { shownRevision } from './show-job.ts';

/** @param lookUntilMs when the time of the look ends, by `performance.now()`: what came before is out of it */
export async function waitForJob(
  services: Pick<Services, 'events' | 'views' | 'commands' | 'logMs' | 'jobWatch'>,
  job: JobDocument,
  waitSeconds: number,
  call: KeyedCall,
  lookUntilMs: number,
): Promise<JobDocument | Refused> {
  const { caller, has, signal } = call;
  // Whoever has an older answer than this one need not wait for the next.
  if (isOver(job.status) || has?.(shownRevision(job, caller)) === false) return job;
  const untilMs = performance.now() + waitSeconds * 1_000;
  let latest = job;
  let budgetEndMs: number | undefined = lookUntilMs;
  while (!signal.aborted && !services.jobWatch.isDismissed()) {
    const looking = withinBudget(services, budgetEndMs);
    budgetEndMs = undefined;
    const place = await looking.jobWatch.take(caller.accountId, streamIdOf(jobDecider, job.id));
    if (place === null) return tooManyWait();
    try {
      latest = (await jobAt(looking, job.id)) ?? latest;
      const leftMs = untilMs - performance.now();
      if (latest.status !== job.status || leftMs <= 0) break;
      await place.news(leftMs, signal);
    } finally {
      place.leave();
    }
  }
  // Meanwhile the key may have been frozen or revoked: it is told nothing then.
  return (await call.refusalNow?.()) ?? latest;
}

function isOver(status: JobStatus): boolean {
  switch (status) {
    case 'draft':
    case 'funded':
    case 'running':
      return false;
    case 'completed':
    case 'failed':
    case 'cancelled':
    case 'expired':
    case 'refunded':
      return true;
    default:
      return assertNever(status);
  }
}

function tooManyWait(): Refused {
  return refuse('rate_limited', 'too many requests wait for jobs now: ask without wait, or a little later', {
    retryAfterSeconds: 5,
  });
}

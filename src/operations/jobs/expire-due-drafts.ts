/**
 * Ends the drafts whose time to be paid is over and gives their spends back. It reads which they are from the view, so
 * that nothing has to be remembered between runs; running it twice, or on two nodes at once, expires each draft once.
 */
import { jobDecider } from '../../../commands/job/job.ts';
import { type JobDocument, jobsProjection } from '../../../projections/jobs.ts';
import type { Keyset } from '../../../projections/view-store.ts';
import { parseDocument } from '../../../projections/stored-document.ts';
import type { Services } from '../services.ts';
import { releaseSpendOf } from './release-spend-of.ts';

const PAGE = { limit: 100, maxBytes: 1_024 * 1_024 } as const;

/** Answers with how many drafts it ended. `at` is now, RFC 3339. */
export async function expireDueDrafts(
  services: Pick<Services, 'commands' | 'views'>,
  at: string,
): Promise<number> {
  let expired = 0;
  let after: Keyset | undefined;
  do {
    const page = await services.views.page(jobsProjection.name, {
      filter: { status: 'draft' },
      order: 'fundingExpiresAt',
      ...PAGE,
      ...(after === undefined ? {} : { after }),
    });
    const drafts = page.rows.map((row) => parseDocument<JobDocument>(row));
    const due = drafts.filter(({ fundingExpiresAt }) => fundingExpiresAt <= at);
    const ended = await Promise.all(due.map(({ id }) => expireDraft(services, id, at)));
    expired += ended.filter(Boolean).length;
    after = due.length === drafts.length ? (page.next ?? undefined) : undefined;
  } while (after !== undefined);
  return expired;
}

/** False where the draft was paid or cancelled meanwhile, or a payment for it is under way. */
async function expireDraft(
  services: Pick<Services, 'commands'>,
  jobId: string,
  at: string,
): Promise<boolean> {
  const cause = { at, actor: 'scheduler', requestId: `expire-${jobId}` };
  const call = { ...cause, commandId: `expire:${jobId}` };
  const outcome = await services.commands.run(jobDecider, jobId, { type: 'ExpireJob' }, call);
  if (outcome.kind !== 'accepted' || outcome.events.length === 0) return false;
  await releaseSpendOf(services, jobId, 'job_expired', cause);
  return true;
}

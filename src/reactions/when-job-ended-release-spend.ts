/** A draft that was cancelled or expired gives its spend back, also if the process died between the two. */
import { releaseSpendOf } from '../operations/jobs/release-spend-of.ts';
import type { Services } from '../operations/services.ts';
import type { Reaction } from '../background/reactor.ts';

export function whenJobEndedReleaseSpend(services: Pick<Services, 'commands'>): Reaction {
  return {
    name: 'when-job-ended-release-spend',
    types: ['JobCancelled', 'JobExpired'],
    async react(event) {
      if (event.type !== 'JobCancelled' && event.type !== 'JobExpired') return;
      const reason = event.type === 'JobCancelled' ? 'job_cancelled' : 'job_expired';
      await releaseSpendOf(services, event.data.jobId, reason, {
        at: event.at,
        actor: 'reaction:when-job-ended-release-spend',
        requestId: event.meta.requestId,
        causationId: event.id,
      });
    },
  };
}

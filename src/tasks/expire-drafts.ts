/** Twice a minute, on one node: drafts whose time is over. */
import { expireDueDrafts } from '../operations/jobs/expire-due-drafts.ts';
import type { Services } from '../operations/services.ts';
import type { TaskKind } from '../background/task-runner.ts';

const EVERY_MS = 30_000;

export function expireDrafts(services: Pick<Services, 'commands' | 'views'>): TaskKind {
  return {
    name: 'expire-drafts',
    concurrency: 1,
    leaseMs: 10 * 60_000,
    retry: { firstPauseMs: 1_000, maxPauseMs: EVERY_MS, giveUpAfterMs: Infinity },
    async run(_task, { nowMs }) {
      await expireDueDrafts(services, new Date(nowMs).toISOString());
      return { kind: 'repeat', atMs: nowMs + EVERY_MS };
    },
  };
}

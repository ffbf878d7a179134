/** Twice a minute, on one node: drafts whose time is over. */
import { expireDueDrafts } from '../operations/jobs/expire-due-drafts.ts';
import type { Services } from '../operations/services.ts';
import type { TaskKind } from '../background/task-runner.ts';
import { standingTask } from './standing-tasks.ts';

const EVERY_MS = 30_000;

export function expireDrafts(services: Pick<Services, 'commands' | 'views'>): TaskKind {
  return standingTask('expire-drafts', EVERY_MS, (nowMs) =>
    expireDueDrafts(services, new Date(nowMs).toISOString()),
  );
}

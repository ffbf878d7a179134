/** At the moment evidence expires, on one node: the scores that rested on it. */
import { rescoreDue } from '../operations/directory/writing/rescore-due.ts';
import type { Services } from '../operations/services.ts';
import type { TaskKind } from '../background/task-runner.ts';

/** Scores of the last minute may be due before what was known to be next: they have tasks of their own (rescore-agent.ts). */
export const RESCORE_EVERY_MS = 60_000;

export function rescoreDueAgents(services: Pick<Services, 'commands' | 'views'>): TaskKind {
  return {
    name: 'rescore-due-agents',
    concurrency: 1,
    leaseMs: 10 * 60_000,
    retry: { firstPauseMs: 1_000, maxPauseMs: RESCORE_EVERY_MS, giveUpAfterMs: Infinity },
    async run(_task, { nowMs }) {
      const { nextAt } = await rescoreDue(services, new Date(nowMs).toISOString());
      const latest = nowMs + RESCORE_EVERY_MS;
      return { kind: 'repeat', atMs: nextAt === null ? latest : Math.min(Date.parse(nextAt), latest) };
    },
  };
}

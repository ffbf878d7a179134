/** Once an hour, on one node: deliveries of more than a month ago are forgotten. */
import type { Services } from '../operations/services.ts';
import type { TaskKind } from '../background/task-runner.ts';

const EVERY_MS = 60 * 60 * 1_000;
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

export function pruneDeliveries({ deliveries }: Pick<Services, 'deliveries'>): TaskKind {
  return {
    name: 'prune-deliveries',
    concurrency: 1,
    leaseMs: 10 * 60_000,
    retry: { firstPauseMs: 60_000, maxPauseMs: EVERY_MS, giveUpAfterMs: Infinity },
    async run(_task, { nowMs }) {
      await deliveries.prune(new Date(nowMs - KEPT_MS).toISOString());
      return { kind: 'repeat', atMs: nowMs + EVERY_MS };
    },
  };
}

/** Once an hour, on one node: deliveries of more than a month ago are forgotten. */
import type { Services } from '../operations/services.ts';
import type { TaskKind } from '../background/task-runner.ts';
import { standingTask } from './standing-tasks.ts';

const EVERY_MS = 60 * 60 * 1_000;
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

export function pruneDeliveries({ deliveries }: Pick<Services, 'deliveries'>): TaskKind {
  const prune = (nowMs: number) => deliveries.prune(new Date(nowMs - KEPT_MS).toISOString());
  return standingTask('prune-deliveries', EVERY_MS, prune, 60_000);
}

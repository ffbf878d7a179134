/**
 * Keeping the views, as a background service. An older program cannot feed the views that a newer one has built. While such views are
 * served it keeps the others by turns, so that a newer one that stands by takes over, as in an upgrade in which the
 * first new process has died.
 */
import type { BackgroundService } from './background-services.ts';
import type { Projector } from '../projecting/projector.ts';
import { rest } from '../timing/rest.ts';

/** Between two turns the lease is free for longer than one who stands by takes to look for it (lease-holder.ts). */
const TURN_MS = 10_000;

/** @param isAlone whether this process serves nobody meanwhile: it may work in bigger steps */
export function projectingService(
  projector: Projector,
  isAlone: boolean,
  turnMs = TURN_MS,
): BackgroundService {
  return {
    name: 'projector',
    isExclusive: true,
    async work(signal) {
      await projector.start(isAlone);
      do {
        await rest(turnMs, signal);
      } while (!signal.aborted && !(await servesNewer(projector)));
      await projector.stop();
    },
  };
}

async function servesNewer(projector: Projector): Promise<boolean> {
  // Of engines that are away the projector itself tells.
  const status = await projector.status().catch(() => null);
  return status !== null && status.views.some(({ state }) => state === 'newer');
}

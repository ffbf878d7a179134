/** Whether an engine can be used, asked of the engine itself. */
import type { Services } from '../services.ts';
import { checkKeyStore } from './check-key-store.ts';
import type { Engine } from './readiness-schema.ts';

/**
 * Resolves where the engine can be read, and written to without a trace by whoever writes to it.
 * @param writesViews whether this process writes the views
 * @throws why it cannot be used
 */
export async function askEngine(
  engine: Engine,
  { events, views, queue, privateTexts }: Pick<Services, 'events' | 'views' | 'queue' | 'privateTexts'>,
  writesViews: boolean,
): Promise<void> {
  switch (engine) {
    case 'log':
      // First the write: until there is one, a reader may answer from what it has read before the disk failed.
      await events.checkWritable?.();
      await events.head();
      return;
    case 'views':
      await Promise.all([views.status(), writesViews && views.checkWritable?.()]);
      return;
    case 'queue':
      await Promise.all([queue.nextDueAtMs('deliver'), queue.checkWritable?.()]);
      return;
    case 'account-keys': {
      await privateTexts.checkUsable();
      const foreign = await checkKeyStore({ views, privateTexts });
      if (foreign !== null) throw foreign;
    }
  }
}

/**
 * After the log has moved to another engine, the views stand at positions of the old one, which say nothing here. Such
 * a generation counts as an older version's: it is served while one of this log is built beside it from the beginning.
 */
import type { EventStore } from '../../events/event-store.ts';
import type { GenerationStatus, ViewStore } from '../../projections/view-store.ts';

/** Lower than any that a view is defined with. */
const VERSION_OF_ANOTHER_LOG = 0;

/** The store, with the status of its generations in terms of this log. */
export function viewsOfLog(log: Pick<EventStore, 'knows'>, views: ViewStore): ViewStore {
  const inTermsOfLog = (one: GenerationStatus): GenerationStatus =>
    one.checkpoint === null || log.knows(one.checkpoint)
      ? one
      : { ...one, version: VERSION_OF_ANOTHER_LOG, checkpoint: null, stuck: null };
  return { ...views, status: async () => (await views.status()).map(inTermsOfLog) };
}

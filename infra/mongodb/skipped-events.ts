/** The collection `skipped`: the events that people decided to go on without. */
import type { SkippedEvent, ViewStore } from '../../projections/view-store.ts';
import type { MongoLink } from './connection.ts';
import { insertOnce } from './insert-once.ts';

interface StoredSkip extends SkippedEvent {
  readonly _id: string;
}

export function skippedEvents({ db, ask, maxTimeMS }: MongoLink): Pick<ViewStore, 'skip' | 'skipped'> {
  const collection = db.collection<StoredSkip>('skipped');
  return {
    async skip({ view, eventId, by, reason, at }) {
      const _id = JSON.stringify([view, eventId]);
      await ask(() => insertOnce(() => collection.insertOne({ _id, view, eventId, by, reason, at })));
    },
    async skipped() {
      const order = { sort: { at: 1, eventId: 1 }, projection: { _id: 0 }, maxTimeMS } as const;
      return ask(() => collection.find<SkippedEvent>({}, order).toArray());
    },
  };
}

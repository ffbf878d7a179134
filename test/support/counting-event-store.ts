import type { EventStore } from '../../events/event-store.ts';

export interface CountingEventStore extends EventStore {
  /** How many events were read from streams so far. */
  readonly eventsRead: () => number;
}

/** A log that counts what is read from it. */
export function countingEventStore(store: EventStore): CountingEventStore {
  let eventsRead = 0;
  return {
    eventsRead: () => eventsRead,
    append: (streamId, expectedRevision, events) => store.append(streamId, expectedRevision, events),
    async *read(streamId, options) {
      for await (const event of store.read(streamId, options)) {
        eventsRead += 1;
        yield event;
      }
    },
    subscribe: (options) => store.subscribe(options),
    head: () => store.head(),
    knows: (position) => store.knows(position),
    marks: store.marks,
    close: () => store.close(),
  };
}

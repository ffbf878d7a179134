import type { EventStore } from '../../events/event-store.ts';

export interface WatchedSubscriptions {
  readonly store: EventStore;
  /** How many subscriptions are open, and how many there were. */
  readonly open: () => number;
  readonly begun: () => number;
  /** How many pages were given by all of them. */
  readonly pages: () => number;
  /** Fails every subscription when it is asked for its next page. */
  readonly failOnce: (error: Error) => void;
}

/** A store that tells of the subscriptions to it. */
export function watchedSubscriptions(store: EventStore): WatchedSubscriptions {
  let open = 0;
  let begun = 0;
  let pages = 0;
  let failure: { readonly error: Error; readonly upTo: number } | null = null;
  return {
    store: {
      ...store,
      async *subscribe(options) {
        begun += 1;
        open += 1;
        const own = begun;
        try {
          for await (const page of store.subscribe(options)) {
            if (failure !== null && own <= failure.upTo) throw failure.error;
            pages += 1;
            yield page;
          }
        } finally {
          open -= 1;
        }
      },
    },
    open: () => open,
    begun: () => begun,
    pages: () => pages,
    failOnce: (error) => (failure = { error, upTo: begun }),
  };
}

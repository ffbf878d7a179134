/**
 * A process follows the log once. Whoever is near its end shares one subscription: what that reads is kept in a bounded
 * window, from which each follower takes pages at its own pace. Whoever is behind the window catches up by a
 * subscription of its own and joins then. Nothing is read ahead of the fastest follower, and the slowest holds nobody.
 */
import type { EventPage, EventStore, SubscribeOptions } from '../../events/event-store.ts';
import type { WindowBounds } from './event-window.ts';
import { type SharedReader, sharedReader } from './shared-reader.ts';

/** A follower that waits for others, or acts upon events a while after they happened, still finds them here. */
const BOUNDS: WindowBounds = { events: 4_096, chars: 4_000_000 };

export interface SharedLog extends EventStore {
  /** Whether the stream was begun a moment ago, as the followers of this process know; false may mean that it was. */
  readonly hasBegun: (streamId: string) => boolean;
}

/**
 * The store, whose followers share what one subscription reads.
 * @param types what that reads; whoever asks for others, or for all there are, has a subscription of its own
 */
export function sharedLog(
  store: EventStore,
  types: readonly string[],
  bounds: WindowBounds = BOUNDS,
): SharedLog {
  const shared = new Set(types);
  let reader: SharedReader | null = null;
  const current = (): SharedReader | null => (reader?.isOver() === false ? reader : null);

  async function* follow(options: SubscribeOptions): AsyncGenerator<EventPage, void> {
    const asked = current()?.asked() ?? 0;
    const mayJoin = (page: EventPage): boolean => {
      const now = current();
      if (now === null) return page.caughtUp;
      // What was read before this follower began cannot tell it that nothing is left.
      const tellsEnd = page.caughtUp || (now.answered() > asked && page.position <= now.end());
      return tellsEnd && page.position >= now.after();
    };
    for (let { after } = options; !options.signal.aborted;) {
      const last = yield* catchUp(store, { ...options, after }, mayJoin);
      if (last === null) return;
      reader = current() ?? sharedReader(store, types, last.position, bounds);
      after = yield* reader.follow(last, options);
      if (after === null) return;
    }
  }

  return {
    ...store,
    hasBegun: (streamId) => current()?.hasBegun(streamId) ?? false,
    subscribe: (options) =>
      options.types?.every((type) => shared.has(type)) === true ? follow(options) : store.subscribe(options),
  };
}

/** Gives pages until one allows to join the others. Returns it, or null at the end of the subscription. */
async function* catchUp(
  store: EventStore,
  options: SubscribeOptions,
  mayJoin: (page: EventPage) => boolean,
): AsyncGenerator<EventPage, EventPage | null> {
  for await (const page of store.subscribe(options)) {
    yield page;
    if (mayJoin(page)) return page;
  }
  return null;
}

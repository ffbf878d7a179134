/** A follower of a log that takes its pages when the test says so. */
import type { EventPage, EventStore, SubscribeOptions } from '../../events/event-store.ts';
import type { RecordedEvent } from '../../events/event.ts';

export interface OpenFollower {
  readonly events: RecordedEvent[];
  /** Takes the next page; null at the end. */
  readonly take: () => Promise<EventPage | null>;
  /** Takes pages until it has come to the position and was told that nothing is left. */
  readonly takeUpTo: (position: string) => Promise<void>;
  readonly leave: () => Promise<void>;
}

export function openFollower(
  store: EventStore,
  options: Omit<SubscribeOptions, 'signal'>,
  leaving = new AbortController(),
): OpenFollower {
  const pages = store.subscribe({ ...options, signal: leaving.signal })[Symbol.asyncIterator]();
  const events: RecordedEvent[] = [];
  const take = async (): Promise<EventPage | null> => {
    const next = await pages.next();
    if (next.done === true) return null;
    events.push(...next.value.events);
    return next.value;
  };
  return {
    events,
    take,
    async takeUpTo(position) {
      for (let page = await take(); page !== null; page = await take())
        if (page.position >= position && page.caughtUp) return;
    },
    async leave() {
      leaving.abort();
      await pages.return?.();
    },
  };
}

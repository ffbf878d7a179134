/** One subscription, asked for a page when a follower has taken all there is, and given to all of them alike. */
import type { EventPage, EventStore, SubscribeOptions } from '../../events/event-store.ts';
import { eventWindow, type WindowBounds } from './event-window.ts';

const DEFAULT_PAGE_EVENTS = 500;

export interface SharedReader {
  /** Everything after this position is at hand. */
  readonly after: () => string;
  /** Everything up to this position is at hand. */
  readonly end: () => string;
  /** How many pages were asked for so far. */
  readonly asked: () => number;
  /** Which of them was the last to be answered. */
  readonly answered: () => number;
  /** Whether the first event of this stream is at hand. */
  readonly hasBegun: (streamId: string) => boolean;
  /** Whether nobody follows any more, or the subscription has ended. */
  readonly isOver: () => boolean;
  /**
   * The pages after the last one that the follower had. Returns the position that it has reached when the window has
   * moved on past it, or null at the end of the subscription.
   * @throws what the subscription throws
   */
  readonly follow: (last: EventPage, options: SubscribeOptions) => AsyncGenerator<EventPage, string | null>;
}

/** It ends when the last of its followers has left: one is to begin at once. */
export function sharedReader(
  store: EventStore,
  types: readonly string[],
  start: string,
  bounds: WindowBounds,
): SharedReader {
  const stopping = new AbortController();
  const pages = store.subscribe({ after: start, types, signal: stopping.signal })[Symbol.asyncIterator]();
  const window = eventWindow(start, bounds);
  /** Those who wait for the next page. */
  const waiting = new Set<() => void>();
  let followers = 0;
  let asked = 0;
  let answered = 0;
  let isEnded = false;
  let failure: { readonly error: unknown } | null = null;

  const ask = async (): Promise<void> => {
    asked += 1;
    try {
      const next = await pages.next();
      if (next.done === true) isEnded = true;
      else window.add(next.value);
    } catch (error) {
      failure = { error };
    }
    answered = asked;
    for (const wake of waiting) wake();
  };
  /** Resolves after the next page, or when the signal is aborted. */
  const news = async (signal: AbortSignal): Promise<void> => {
    const woken = new Promise<void>((resolve) => {
      const wake = (): void => {
        waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
    if (asked === answered) void ask();
    await woken;
  };
  const leave = (): void => {
    followers -= 1;
    if (followers > 0) return;
    stopping.abort();
    // Between two pages it does not see the signal. How it ends concerns nobody any more.
    pages.return?.().catch(() => {});
  };

  return {
    after: window.after,
    end: window.end,
    hasBegun: window.hasBegun,
    asked: () => asked,
    answered: () => answered,
    isOver: () => isEnded || failure !== null || stopping.signal.aborted,
    async *follow(last, { types: wantedTypes, pageSize = DEFAULT_PAGE_EVENTS, signal }) {
      const wanted = new Set(wantedTypes ?? types);
      followers += 1;
      try {
        for (let { position, caughtUp: isTold } = last; !signal.aborted;) {
          if (position < window.after()) return position;
          const isNews =
            position < window.end() || (position === window.end() && window.isAtEnd() && !isTold);
          if (isNews) {
            const page = window.pageAfter(position, pageSize, wanted);
            ({ position, caughtUp: isTold } = page);
            yield page;
          } else if (failure !== null) throw failure.error;
          else if (isEnded) return null;
          else await news(signal);
        }
        return null;
      } finally {
        leave();
      }
    },
  };
}

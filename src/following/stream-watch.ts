/**
 * Wakes those who wait for a stream to go on. One subscription serves them all, and only while somebody waits; who
 * waits is bounded, in all and for each owner.
 */
import { type EventStore, StoreUnavailable } from '../../events/event-store.ts';
import { inTime } from '../timing/in-time.ts';
import { type AsyncEvent, createAsyncEvent } from '../timing/async-event.ts';

export interface StreamWatch {
  /**
   * A place among the waiting, or null when there is none left. What is appended to the stream after this resolves
   * comes; what was appended before is there to be read.
   * @param withinMs how long the log may take to say where it ends; as long as it likes where that is left out
   * @throws {StoreUnavailable} it did not say in time, or is away
   */
  readonly take: (owner: string, streamId: string, withinMs?: number) => Promise<Place | null>;
  readonly waiting: () => number;
  /** Lets everybody go who waits: the service stops, and answers them first. */
  readonly dismiss: () => void;
  /** Whether everybody was let go: nobody should wait any more. */
  readonly isDismissed: () => boolean;
  readonly close: () => Promise<void>;
}

export interface Place {
  /** Resolves when the stream may have gone on, after the time, or when the signal is aborted. */
  readonly news: (timeoutMs: number, signal: AbortSignal) => Promise<void>;
  readonly leave: () => void;
}

export interface WatchBounds {
  readonly waiters: number;
  readonly perOwner: number;
}

/** Of all owners together. */
export const MAX_WAITERS = 2_000;
const DEFAULT_BOUNDS: WatchBounds = { waiters: MAX_WAITERS, perOwner: 100 };

export function createStreamWatch(
  events: EventStore,
  types: readonly string[],
  bounds: WatchBounds = DEFAULT_BOUNDS,
): StreamWatch {
  const waiters = new Map<string, Set<AsyncEvent>>();
  const owners = new Map<string, number>();
  let waiting = 0;
  let isDismissed = false;
  let following: Following | null = null;

  const wakeAll = (): void => waiters.forEach((those) => those.forEach(({ set }) => set()));
  const dismiss = (): void => {
    isDismissed = true;
    wakeAll();
  };
  const follow = (): Following => {
    const onEvent = (streamId: string): void => waiters.get(streamId)?.forEach(({ set }) => set());
    const started = startFollowing(events, types, onEvent, () => {
      // Whoever waits looks for himself and asks for a place again.
      if (following === started) following = null;
      wakeAll();
    });
    return started;
  };

  const leave = (owner: string, streamId: string, own: AsyncEvent): void => {
    const those = waiters.get(streamId);
    if (those?.delete(own) !== true) return;
    if (those.size === 0) waiters.delete(streamId);
    const left = (owners.get(owner) ?? 1) - 1;
    if (left === 0) owners.delete(owner);
    else owners.set(owner, left);
    waiting -= 1;
    if (waiting > 0) return;
    following?.stop();
    following = null;
  };

  return {
    async take(owner, streamId, withinMs) {
      const own = owners.get(owner) ?? 0;
      if (waiting >= bounds.waiters || own >= bounds.perOwner) return null;
      const news = createAsyncEvent();
      waiters.set(streamId, (waiters.get(streamId) ?? new Set()).add(news));
      owners.set(owner, own + 1);
      waiting += 1;
      try {
        const { ready } = (following ??= follow());
        await (withinMs === undefined ? ready : inTime(ready, withinMs, () => tooLate(withinMs)));
      } catch (error) {
        leave(owner, streamId, news);
        throw error;
      }
      return {
        news: (ms, signal) => comeOrGone(news, ms, signal),
        leave: () => leave(owner, streamId, news),
      };
    },
    waiting: () => waiting,
    dismiss,
    isDismissed: () => isDismissed,
    async close() {
      following?.stop();
      dismiss();
      await following?.ended;
    },
  };
}

interface Following {
  /** Resolves once everything appended from now on will be seen. */
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  readonly stop: () => void;
}

function startFollowing(
  events: EventStore,
  types: readonly string[],
  onEvent: (streamId: string) => void,
  onEnd: () => void,
): Following {
  const stopping = new AbortController();
  const head = events.head();
  const run = async (): Promise<void> => {
    const after = await head;
    for await (const page of events.subscribe({ after, types, signal: stopping.signal }))
      for (const { streamId } of page.events) onEvent(streamId);
  };
  const ended = run()
    .catch(() => {
      // The log is away for now: those who wait find that out when they read.
    })
    .finally(onEnd);
  return { ready: head.then(() => {}), ended, stop: () => stopping.abort() };
}

function tooLate(ms: number): StoreUnavailable {
  return new StoreUnavailable(`the log has not said where it ends within ${Math.round(ms)} ms`);
}

async function comeOrGone(news: AsyncEvent, timeoutMs: number, signal: AbortSignal): Promise<void> {
  signal.addEventListener('abort', news.set, { once: true });
  try {
    if (!signal.aborted) await news.wait(timeoutMs);
  } finally {
    signal.removeEventListener('abort', news.set);
  }
}

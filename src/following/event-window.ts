/**
 * The newest events of the log as one reader took them, for all others that are near its end: a window that moves on
 * with each page, bounded in events and in the length of their JSON.
 */
import type { EventPage } from '../../events/event-store.ts';
import type { RecordedEvent } from '../../events/event.ts';

export interface WindowBounds {
  readonly events: number;
  /** Of JSON; the newest page stays, however long it is. */
  readonly chars: number;
}

export interface EventWindow {
  /** Everything after this position is at hand. */
  readonly after: () => string;
  /** Everything up to this position is at hand. */
  readonly end: () => string;
  readonly add: (page: EventPage) => void;
  /** Whether the log held nothing more when the newest page was read. */
  readonly isAtEnd: () => boolean;
  /** Whether the first event of this stream is at hand. */
  readonly hasBegun: (streamId: string) => boolean;
  /** What comes after a position within the window: up to `limit` events of these types, or an empty page at its end. */
  readonly pageAfter: (position: string, limit: number, types: ReadonlySet<string>) => EventPage;
}

interface Kept {
  readonly event: RecordedEvent;
  readonly chars: number;
}

/** @param start where the window begins, and ends until the first page is added */
export function eventWindow(start: string, bounds: WindowBounds): EventWindow {
  let kept: Kept[] = [];
  /** Streams whose first event is among them. */
  const begun = new Set<string>();
  let chars = 0;
  let after = start;
  let end = start;
  let isAtEnd = false;

  /** Half of what is allowed stays, so that moving the rest costs next to nothing for each event. */
  const forgetOldest = (newest: number): void => {
    let count = 0;
    for (const oldest of kept) {
      const isHalf = kept.length - count <= bounds.events / 2 && chars <= bounds.chars / 2;
      if (isHalf || kept.length - count <= newest) break;
      chars -= oldest.chars;
      after = oldest.event.position;
      if (oldest.event.revision === 0) begun.delete(oldest.event.streamId);
      count += 1;
    }
    kept = kept.slice(count);
  };
  /** The index of the first event behind the position. */
  const indexAfter = (position: string): number => {
    let low = 0;
    for (let high = kept.length; low < high;) {
      const middle = (low + high) >> 1;
      if ((kept[middle]?.event.position ?? '') <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    after: () => after,
    end: () => end,
    isAtEnd: () => isAtEnd,
    hasBegun: (streamId) => begun.has(streamId),
    add(page) {
      const each = page.chars / page.events.length;
      for (const event of page.events) {
        kept.push({ event, chars: each });
        if (event.revision === 0) begun.add(event.streamId);
      }
      if (page.events.length > 0) chars += page.chars;
      if (kept.length > bounds.events || chars > bounds.chars) forgetOldest(page.events.length);
      end = page.position;
      isAtEnd = page.caughtUp;
    },
    pageAfter(position, limit, types) {
      const events: RecordedEvent[] = [];
      let length = 0;
      let i = indexAfter(position);
      for (let next = kept[i]; next !== undefined && events.length < limit; next = kept[(i += 1)]) {
        if (!types.has(next.event.type)) continue;
        events.push(next.event);
        length += next.chars;
      }
      const isWhole = i === kept.length;
      const last = events.at(-1)?.position;
      return isWhole || last === undefined
        ? { events, chars: length, position: end, caughtUp: isAtEnd }
        : { events, chars: length, position: last, caughtUp: false };
    },
  };
}

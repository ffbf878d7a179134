/**
 * The newest events of the log as this process appended them. Everybody who follows the log is given the very same
 * objects, so that nobody reads and parses what was in memory a moment ago. While nobody follows it, none is kept.
 */
import type { NewEvent, RecordedEvent } from '../../events/event.ts';
import { recordEvent } from '../../events/sealed-event.ts';
import { toPosition } from './log-position.ts';
import type { SomeEvents } from './log-reader.ts';

const MAX_EVENTS = 4_096;
/** Of JSON text. Most followers are a few dozen milliseconds behind; those further behind read the file. */
const MAX_CHARS = 4_000_000;

export interface TailCache {
  /** Somebody follows the log from here on. */
  readonly beginFollowing: () => void;
  readonly endFollowing: () => void;
  /** These were committed in one piece, the first of them here. */
  readonly add: (
    streamId: string,
    events: readonly NewEvent[],
    first: { readonly revision: number; readonly row: number },
    chars: number,
  ) => void;
  /**
   * The row of the last of them, where everything after `after` is at hand. The log itself may hold more by then, which
   * its worker has committed and not yet told of.
   */
  readonly headAfter: (after: number) => number | undefined;
  /** As `page` of the log's reader; undefined where not everything after `after` is at hand. */
  readonly page: (
    after: number,
    upTo: number,
    limit: number,
    types?: readonly string[],
  ) => SomeEvents | undefined;
}

interface Recent {
  readonly event: RecordedEvent;
  readonly chars: number;
}

export function createTailCache(): TailCache {
  let recent: Recent[] = [];
  /** The row of the first of them. They have no gaps. */
  let firstRow = 1;
  let allChars = 0;
  let followers = 0;

  /** Half of them at once, so that moving the others costs next to nothing for each. */
  const forgetOldest = (): void => {
    let count = 0;
    for (const { chars } of recent) {
      if (recent.length - count <= MAX_EVENTS / 2 && allChars <= MAX_CHARS / 2) break;
      allChars -= chars;
      count += 1;
    }
    recent = recent.slice(count);
    firstRow += count;
  };

  return {
    beginFollowing() {
      followers += 1;
    },
    endFollowing() {
      followers -= 1;
      if (followers > 0) return;
      recent = [];
      allChars = 0;
    },
    add(streamId, events, { revision, row }, chars) {
      if (followers === 0) return;
      const nextRow = firstRow + recent.length;
      // An append that was there already is answered with its first outcome.
      if (row < nextRow) return;
      if (row > nextRow) {
        // Another process wrote in between.
        recent = [];
        allChars = 0;
        firstRow = row;
      }
      events.forEach((event, i) => {
        const place = { streamId, revision: revision + i, position: toPosition(row + i) };
        recent.push({ event: recordEvent(event, place), chars: chars / events.length });
      });
      allChars += chars;
      if (recent.length > MAX_EVENTS || allChars > MAX_CHARS) forgetOldest();
    },
    headAfter(after) {
      const head = firstRow + recent.length - 1;
      return after + 1 >= firstRow && after < head ? head : undefined;
    },
    page(after, upTo, limit, types) {
      if (after + 1 < firstRow || upTo >= firstRow + recent.length) return undefined;
      const events: RecordedEvent[] = [];
      let chars = 0;
      for (let row = after + 1; row <= upTo && events.length < limit; row += 1) {
        const one = recent[row - firstRow];
        if (one === undefined || types?.includes(one.event.type) === false) continue;
        events.push(one.event);
        chars += one.chars;
      }
      return { events, chars };
    },
  };
}

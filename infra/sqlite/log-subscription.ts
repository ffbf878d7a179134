/** Follows the log: catch-up in pages, then live, at the reader's own pace. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventPage, SubscribeOptions } from '../../events/event-store.ts';
import type { CommitWatch } from './commit-watch.ts';
import { toPosition, toRow } from './log-position.ts';
import { limitAfter, type LogReader } from './log-reader.ts';
import type { TailCache } from './tail-cache.ts';

const DEFAULT_PAGE_EVENTS = 500;
/** They may be long: how long shows by the first of them. */
const FIRST_PAGE_EVENTS = 64;
/** A search for rare types looks at no more rows than this in one go: it holds up the event loop meanwhile. */
const MAX_SCANNED_ROWS = 2_000;

export async function* subscribeToLog(
  reader: LogReader,
  tail: TailCache,
  watch: CommitWatch,
  { after, types, pageSize = DEFAULT_PAGE_EVENTS, signal }: SubscribeOptions,
): AsyncGenerator<EventPage, void> {
  let row = after === null ? 0 : toRow(after);
  if (!watch.isClosed && row > reader.head())
    throw new RangeError(`the log ends before ${after}: was an older copy of it restored?`);

  let limit = Math.min(pageSize, FIRST_PAGE_EVENTS);
  tail.beginFollowing();
  try {
    for (let isFirst = true; !signal.aborted && !watch.isClosed; isFirst = false) {
      const head = tail.headAfter(row) ?? reader.head();
      if (row === head && !isFirst) {
        await watch.beyond(row, signal);
        continue;
      }
      const upTo = types === undefined ? head : Math.min(head, row + MAX_SCANNED_ROWS);
      const { events, chars } = tail.page(row, upTo, limit, types) ?? reader.page(row, upTo, limit, types);
      const last = events.at(-1);
      row = last !== undefined && events.length === limit ? toRow(last.position) : upTo;
      limit = limitAfter(limit, chars, pageSize);
      yield { events, chars, position: toPosition(row), caughtUp: row === head };
      // A long catch-up must not keep everything else waiting.
      if (row !== head) await nextTurn();
    }
  } finally {
    tail.endFollowing();
  }
}

/** Makes appends of a log's events: as few as can be, and in rounds of those that may be under way at the same time. */
import { weigh } from '../../events/appendable.ts';
import type { NewEvent } from '../../events/event.ts';
import {
  type Append,
  type EventStore,
  MAX_APPEND_BYTES,
  MAX_APPEND_EVENTS,
} from '../../events/event-store.ts';
import type { Page } from './read-log.ts';

export interface WeighedAppend extends Append {
  /** As events weigh (appendable.ts). */
  readonly bytes: number;
}

/**
 * Bounds within which an engine promises that appends which are asked for in one turn, while no other is under way, are
 * committed in that order: each of them, or the first of them, or none.
 */
export interface Together {
  readonly appends: number;
  readonly bytes: number;
  /** How they are asked for where the promise does not hold for the store's own appends. @throws as these do */
  readonly append?: EventStore['append'];
}

/** Half of what one append may have. */
const APPEND_BYTES = MAX_APPEND_BYTES / 2;

/** Events that follow one another in the log and in one stream go together. */
export async function* appendsOf(pages: AsyncIterable<Page>): AsyncGenerator<WeighedAppend, void> {
  let append: (WeighedAppend & { readonly events: NewEvent[]; bytes: number }) | undefined;
  for await (const page of pages) {
    for (const { streamId, revision, position: _position, ...event } of page) {
      const bytes = weigh(JSON.stringify(event.data), JSON.stringify(event.meta));
      if (append?.streamId === streamId && hasRoom(append, bytes)) {
        append.events.push(event);
        append.bytes += bytes;
        continue;
      }
      if (append !== undefined) yield append;
      append = { streamId, expectedRevision: revision - 1, events: [event], bytes };
    }
  }
  if (append !== undefined) yield append;
}

function hasRoom({ events, bytes }: WeighedAppend, more: number): boolean {
  return events.length < MAX_APPEND_EVENTS && bytes + more <= APPEND_BYTES;
}

/** A round has one append at least, however large. */
export async function* roundsOf(
  appends: AsyncIterable<WeighedAppend>,
  bounds: Together,
): AsyncGenerator<readonly WeighedAppend[], void> {
  let round: WeighedAppend[] = [];
  let bytes = 0;
  for await (const append of appends) {
    if (round.length > 0 && (round.length === bounds.appends || bytes + append.bytes > bounds.bytes)) {
      yield round;
      round = [];
      bytes = 0;
    }
    round.push(append);
    bytes += append.bytes;
  }
  if (round.length > 0) yield round;
}

/** Makes appends of a log's events: as few as can be, and in rounds of those that may be under way at the same time. */
import type { NewEvent, RecordedEvent } from '../../events/event.ts';
import { MAX_APPEND_EVENTS } from '../../events/event-store.ts';

export interface Append {
  readonly streamId: string;
  readonly expectedRevision: number;
  readonly events: readonly NewEvent[];
  /** Of the events as JSON text. */
  readonly chars: number;
}

/**
 * Bounds within which an engine promises that appends which are asked for in one turn, while no other is under way, are
 * committed in that order, all or none.
 */
export interface Together {
  readonly appends: number;
  readonly chars: number;
}

/** Far below what engines take in one append. */
const MAX_APPEND_CHARS = 256 * 1024;

/** Events that follow one another in the log and in one stream go together. */
export async function* appendsOf(events: AsyncIterable<RecordedEvent>): AsyncGenerator<Append, void> {
  let append: (Append & { readonly events: NewEvent[]; chars: number }) | undefined;
  for await (const { streamId, revision, position: _position, ...event } of events) {
    const chars = JSON.stringify(event).length;
    if (append?.streamId === streamId && hasRoom(append, chars)) {
      append.events.push(event);
      append.chars += chars;
      continue;
    }
    if (append !== undefined) yield append;
    append = { streamId, expectedRevision: revision - 1, events: [event], chars };
  }
  if (append !== undefined) yield append;
}

function hasRoom({ events, chars }: Append, more: number): boolean {
  return events.length < MAX_APPEND_EVENTS && chars + more <= MAX_APPEND_CHARS;
}

/** A round has one append at least, however large. */
export async function* roundsOf(
  appends: AsyncIterable<Append>,
  bounds: Together,
): AsyncGenerator<readonly Append[], void> {
  let round: Append[] = [];
  let chars = 0;
  for await (const append of appends) {
    if (round.length > 0 && (round.length === bounds.appends || chars + append.chars > bounds.chars)) {
      yield round;
      round = [];
      chars = 0;
    }
    round.push(append);
    chars += append.chars;
  }
  if (round.length > 0) yield round;
}

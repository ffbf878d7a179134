/**
 * Looks at both logs before anything is written: the target must be empty or hold the beginning of the source, event by
 * event. How far a migration came that was broken off is read from the target itself, and from nothing else.
 */
import type { EventStore } from '../../events/event-store.ts';
import { canonicalEvent, type Difference } from './event-difference.ts';
import { readSideBySide } from './read-log.ts';

export interface Survey {
  /** How many events the source has. */
  readonly events: number;
  /** How many of them the target has already. */
  readonly present: number;
  /** The source's position of the last of these; null when there is none. */
  readonly presentUpTo: string | null;
  /** The first event in which the target is not the beginning of the source. */
  readonly difference: Difference | null;
}

/** @param onRead is told the count after each event */
export async function surveyLogs(
  source: EventStore,
  target: EventStore,
  signal: AbortSignal,
  onRead: (events: number) => void,
): Promise<Survey> {
  let events = 0;
  let present = 0;
  let presentUpTo: string | null = null;
  for await (const [original, copy] of readSideBySide(source, target, signal)) {
    events += 1;
    if (copy !== undefined) {
      if (original === undefined || canonicalEvent(original) !== canonicalEvent(copy))
        return {
          events,
          present,
          presentUpTo,
          difference: { event: events, source: original, target: copy },
        };
      present = events;
      presentUpTo = original.position;
    }
    onRead(events);
  }
  return { events, present, presentUpTo, difference: null };
}

/**
 * Looks at both logs before anything is written: the target must be empty or hold the beginning of the source, event by
 * event. How far a migration came that was broken off is read from the target itself, and from nothing else. What the
 * source holds beyond that is not read yet.
 */
import type { EventStore } from '../../events/event-store.ts';
import { canonicalEvent, type Difference } from './event-difference.ts';
import type { Patience } from './patience.ts';
import { readSideBySide } from './read-log.ts';

export interface Survey {
  /** How many events of the source the target has already. */
  readonly present: number;
  /** The source's position of the last of these; null when there is none. */
  readonly presentUpTo: string | null;
  /** Whether these are all that the source has. */
  readonly isWhole: boolean;
  /** The first event in which the target is not the beginning of the source. */
  readonly difference: Difference | null;
}

/** @param onRead is told how many events are the same so far */
export async function surveyLogs(
  source: EventStore,
  target: EventStore,
  patience: Patience,
  onRead: (events: number) => void,
): Promise<Survey> {
  let present = 0;
  let presentUpTo: string | null = null;
  for await (const { originals, copies } of readSideBySide(source, target, patience)) {
    if (copies.length === 0) return { present, presentUpTo, isWhole: false, difference: null };
    for (const [i, copy] of copies.entries()) {
      const original = originals[i];
      if (original === undefined || canonicalEvent(original) !== canonicalEvent(copy)) {
        const difference = { event: present + 1, source: original, target: copy };
        return { present, presentUpTo, isWhole: false, difference };
      }
      present += 1;
      presentUpTo = original.position;
    }
    onRead(present);
  }
  return { present, presentUpTo, isWhole: true, difference: null };
}

/**
 * The id of an event follows from all that it says, so that two events share one only if they are the same: a log takes an
 * append with ids that it has for a repetition, also when it comes from another process. What was changed since it was
 * written does not go with its id any more.
 */
import { orderedJson } from './canonical-json.ts';
import type { PlacedEvent } from './event.ts';
import { idFrom } from './ids.ts';

/** @param dataText @param metaText what orderedJson makes of its data and of its meta */
export function eventIdOf(
  { streamId, revision, type, at }: Pick<PlacedEvent, 'streamId' | 'revision' | 'type' | 'at'>,
  dataText: string,
  metaText: string,
): string {
  return idFrom('event', at, `${streamId} ${revision} ${type} ${dataText} ${metaText}`);
}

/** Whether the event says what it said when its id was made, as far as the id covers it: all but its `version`. */
export function keepsItsId(event: PlacedEvent): boolean {
  const { id, streamId, revision, type, at, data, meta } = event;
  try {
    if (eventIdOf(event, orderedJson(data), orderedJson(meta)) === id) return true;
    // As programs before 28 November 2026, 10:00, made it.
    return idFrom('event', at, JSON.stringify([streamId, revision, type, data, meta])) === id;
  } catch (error) {
    // No id was ever made at such a time, or of such a number.
    if (error instanceof RangeError || error instanceof TypeError) return false;
    throw error;
  }
}

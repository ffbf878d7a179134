/**
 * Tamper evidence. The id of an event follows from all that it says: two events share one only if they are the same, so
 * that a log takes an append with ids that it has for a repetition, and what was changed since does not go with its id.
 * In a chained stream each event also carries the SHA-256 of its predecessor (`meta.prev`): a changed, missing,
 * reordered or inserted event breaks every link after it.
 */
import { hash } from 'node:crypto';
import { canonicalJson, orderedJson } from './canonical-json.ts';
import type { PlacedEvent } from './event.ts';
import { sealedTexts } from './sealed-event.ts';
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

/** What the first event of a chained stream carries in place of a predecessor's hash. */
export const GENESIS = '0'.repeat(64);

/** SHA-256 (hex) of the event in RFC 8785 canonical JSON, its `position` left out: that belongs to one store. */
export function eventHash(event: PlacedEvent): string {
  const { id, type, version, streamId, revision, at } = event;
  const texts = sealedTexts(event);
  const data = texts?.data ?? canonicalJson(event.data);
  const meta = texts?.meta ?? canonicalJson(event.meta);
  // Canonical, since its own names are in order.
  const before = `{"at":${canonicalJson(at)},"data":${data},"id":${canonicalJson(id)},"meta":${meta}`;
  const place = `"revision":${revision},"streamId":${canonicalJson(streamId)}`;
  return sha256Hex(`${before},${place},"type":${canonicalJson(type)},"version":${version}}`);
}

/** Null where the event has no canonical text: older programs let half characters in. */
export function eventHashOrNull(event: PlacedEvent): string | null {
  try {
    return eventHash(event);
  } catch {
    return null;
  }
}

export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

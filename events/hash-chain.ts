/**
 * Tamper evidence: in a chained stream each event carries the SHA-256 of its predecessor (`meta.prev`), so that a
 * changed, missing, reordered or inserted event breaks every link after it.
 */
import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';
import type { PlacedEvent } from './event.ts';

/** What the first event of a chained stream carries in place of a predecessor's hash. */
export const GENESIS = '0'.repeat(64);

/** SHA-256 (hex) of the event in RFC 8785 canonical JSON, its `position` left out: that belongs to one store. */
export function eventHash(event: PlacedEvent): string {
  const { id, type, version, streamId, revision, at, data, meta } = event;
  return sha256Hex(canonicalJson({ id, type, version, streamId, revision, at, data, meta }));
}

export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

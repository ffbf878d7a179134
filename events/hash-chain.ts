/**
 * Tamper evidence: in a chained stream each event carries the SHA-256 of its predecessor (`meta.prev`), so that a
 * changed, missing, reordered or inserted event breaks every link after it.
 */
import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';
import type { PlacedEvent } from './event.ts';
import { sealedTexts } from './sealed-event.ts';

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

export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

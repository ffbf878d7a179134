/**
 * Events of keys hold the hashes by which their secrets are found. Whoever audits needs none of them, and key streams
 * are no hash chains: an export leaves them out, and everything else of it can be checked.
 */
import type { RecordedEvent } from '../../events/event.ts';

const SECRET_HASH = /^(secretHash|previousSecretHash|secretHashes|endedSecretHashes)$/;

export function withoutSecretHashes(event: RecordedEvent): RecordedEvent {
  if (!event.streamId.startsWith('key-')) return event;
  const shown = Object.entries(event.data).filter(([name]) => !SECRET_HASH.test(name));
  const { id, type, version, streamId, revision, position, at, meta } = event;
  return { id, type, version, streamId, revision, position, at, data: Object.fromEntries(shown), meta };
}

/** Reads both logs anew, side by side: every event is the same, and so is the digest of them all. */
import { createHash } from 'node:crypto';
import type { EventStore } from '../../events/event-store.ts';
import { canonicalEvent, type Difference } from './event-difference.ts';
import { readSideBySide } from './read-log.ts';

/**
 * SHA-256 (hex) over the events in the order of the log, each in canonical JSON without its position and ended by a
 * line feed.
 */
export interface Digests {
  readonly source: string;
  readonly target: string;
}

export interface Verification {
  /** How many events are the same. */
  readonly events: number;
  readonly digests: Digests;
  /** How many the source has taken in since they were copied. */
  readonly newer: number;
  /** The first event that is not the same. */
  readonly difference: Difference | null;
}

/** Told of each event that both have, with its position in either. */
export type OnSame = (sourcePosition: string, targetPosition: string) => void;

/** @param copied how many events the target must have */
export async function verifyCopy(
  source: EventStore,
  target: EventStore,
  copied: number,
  signal: AbortSignal,
  onSame: OnSame,
): Promise<Verification> {
  const [originals, copies] = [createHash('sha256'), createHash('sha256')];
  let events = 0;
  let newer = 0;
  const report = (difference: Difference | null): Verification => {
    const digests = { source: originals.digest('hex'), target: copies.digest('hex') };
    return { events, digests, newer, difference };
  };
  for await (const [original, copy] of readSideBySide(source, target, signal)) {
    if (copy === undefined && events >= copied) {
      newer += 1;
      continue;
    }
    const texts = [original, copy].map((event) => (event === undefined ? '' : `${canonicalEvent(event)}\n`));
    const [originalText = '', copyText = ''] = texts;
    originals.update(originalText);
    copies.update(copyText);
    if (original === undefined || copy === undefined || originalText !== copyText)
      return report({ event: events + 1, source: original, target: copy });
    events += 1;
    onSame(original.position, copy.position);
  }
  return report(null);
}

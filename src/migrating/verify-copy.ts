/** Reads both logs anew, side by side: every event is the same, and so is the digest of them all. */
import { createHash } from 'node:crypto';
import type { EventStore } from '../../events/event-store.ts';
import { canonicalEvent, type Difference } from './event-difference.ts';
import type { Patience } from './patience.ts';
import { readSideBySide, type Stretch } from './read-log.ts';

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
  patience: Patience,
  onSame: OnSame,
): Promise<Verification> {
  const [originals, copies] = [createHash('sha256'), createHash('sha256')];
  let events = 0;
  let newer = 0;
  const report = (difference: Difference | null): Verification => {
    const digests = { source: originals.digest('hex'), target: copies.digest('hex') };
    return { events, digests, newer, difference };
  };
  for await (const stretch of readSideBySide(source, target, patience)) {
    if (stretch.copies.length === 0 && events >= copied) {
      newer += stretch.originals.length;
      continue;
    }
    const lines = { originals: linesOf(stretch.originals), copies: linesOf(stretch.copies) };
    originals.update(lines.originals.join(''));
    copies.update(lines.copies.join(''));
    const same = sameIn(stretch, lines, onSame);
    events += same;
    const [original, copy] = [stretch.originals[same], stretch.copies[same]];
    if (original !== undefined || copy !== undefined)
      return report({ event: events + 1, source: original, target: copy });
  }
  return report(null);
}

function linesOf(events: Stretch['originals']): readonly string[] {
  return events.map((event) => `${canonicalEvent(event)}\n`);
}

/** How many events from the first on are the same. */
function sameIn(
  { originals, copies }: Stretch,
  lines: Readonly<Record<keyof Stretch, readonly string[]>>,
  onSame: OnSame,
): number {
  let same = 0;
  for (const [i, original] of originals.entries()) {
    const copy = copies[i];
    if (copy === undefined || lines.originals[i] !== lines.copies[i]) break;
    onSame(original.position, copy.position);
    same += 1;
  }
  return same;
}

/**
 * Records denials without anybody waiting for it. What cannot be kept up with is counted and left out: a flood of
 * refused spends must neither slow down one that is allowed nor fill the disk.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { denialDecider } from '../../commands/mandate/record-denial.ts';
import type { DenialFact } from '../../events/mandate-events.ts';
import type { CommandCall } from './command-call.ts';
import type { CommandRunner } from './command-runner.ts';

/** Whoever reads a history waits no longer for denials that a slow log has not taken yet. */
export const SETTLED_WITHIN_MS = 1_000;

export interface DenialLog {
  readonly record: (mandateId: string, call: CommandCall, denial: Denial) => void;
  /** Resolves when the denials of this mandate that were given so far are recorded or have failed to be, or after a second, or less. */
  readonly settled: (mandateId: string, withinMs?: number) => Promise<void>;
  /** How many denials were left out, and how many could not be written. */
  readonly left: () => { readonly dropped: number; readonly failed: number };
}

export type Denial = Omit<DenialFact['data'], 'leftOut'>;

const MAX_UNDER_WAY = 1_000;

/** Of one mandate: so many at once, then one a minute, each with how many were left out before it: 1 MB a day. */
export const DENIALS_AT_ONCE = 100;
export const DENIAL_EVERY_MS = 60_000;
/** A mandate that is forgotten for others may fill its bucket anew. */
const MAX_MANDATES = 10_000;

/** A flood is one line a minute. */
const TOLD_EVERY_MS = 60_000;

/** The token bucket of one mandate. */
interface Bucket {
  tokens: number;
  filledAtMs: number;
  /** Denials since the last one that was recorded. */
  leftOut: number;
  /** The last write. Those of one stream are made in order. */
  write: Promise<void>;
}

/** @param nowMs a clock that never runs backwards */
export function createDenialLog(
  commands: CommandRunner,
  log?: { readonly warn: (fields: object, message: string) => void },
  nowMs = (): number => performance.now(),
): DenialLog {
  const buckets = new LRUCache<string, Bucket>({ max: MAX_MANDATES });
  let underWay = 0;
  let dropped = 0;
  let failed = 0;
  let toldAtMs = -Infinity;

  /** Beside the count that is kept: whoever reads the log of the process is to know that the record has a gap. */
  const tell = (mandateId: string, reason: string): void => {
    if (nowMs() - toldAtMs < TOLD_EVERY_MS) return;
    toldAtMs = nowMs();
    log?.warn({ mandateId, reason, dropped, failed }, 'denials were not recorded');
  };

  const bucketOf = (mandateId: string): Bucket => {
    const bucket = buckets.get(mandateId) ?? {
      tokens: DENIALS_AT_ONCE,
      filledAtMs: nowMs(),
      leftOut: 0,
      write: Promise.resolve(),
    };
    buckets.set(mandateId, bucket);
    const minutes = Math.floor((nowMs() - bucket.filledAtMs) / DENIAL_EVERY_MS);
    bucket.tokens = Math.min(DENIALS_AT_ONCE, bucket.tokens + minutes);
    bucket.filledAtMs += minutes * DENIAL_EVERY_MS;
    return bucket;
  };

  return {
    record(mandateId, call, denial) {
      const bucket = bucketOf(mandateId);
      if (underWay >= MAX_UNDER_WAY || bucket.tokens === 0) {
        dropped += 1;
        bucket.leftOut += 1;
        tell(mandateId, bucket.tokens === 0 ? 'too many of one mandate' : 'too many at once');
        return;
      }
      const { leftOut } = bucket;
      bucket.leftOut = 0;
      bucket.tokens -= 1;
      underWay += 1;
      const counted = leftOut === 0 ? denial : { ...denial, leftOut };
      bucket.write = commands
        .run(denialDecider, mandateId, { type: 'RecordDenial', denial: counted }, call)
        .then(() => {})
        .catch((error: unknown) => {
          failed += 1;
          bucket.leftOut += leftOut + 1;
          tell(mandateId, error instanceof Error ? error.message : String(error));
        })
        .finally(() => (underWay -= 1));
    },
    async settled(mandateId, withinMs = SETTLED_WITHIN_MS) {
      const over = new AbortController();
      const late = pause(withinMs, undefined, { ref: false, signal: over.signal }).catch(() => {});
      await Promise.race([buckets.get(mandateId)?.write, late]);
      over.abort();
    },
    left: () => ({ dropped, failed }),
  };
}

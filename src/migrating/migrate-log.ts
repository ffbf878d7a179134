/**
 * Moves a log to another engine: survey, copy, verify, checkpoints. It may be broken off at any moment and started
 * again; what is there already is compared and not written twice.
 */
import type { Checkpoints } from '../../events/checkpoints.ts';
import type { EventStore } from '../../events/event-store.ts';
import { copyEvents, type CopyTarget, type Disturbance } from './copy-events.ts';
import type { Difference } from './event-difference.ts';
import type { Patience } from './patience.ts';
import { surveyLogs } from './survey-logs.ts';
import { keepCheckpoints, translateCheckpoints, type TranslatedCheckpoint } from './translate-checkpoints.ts';
import { markFinished, markUnfinished } from './unfinished-copy.ts';
import { type Digests, verifyCopy } from './verify-copy.ts';

/** A log and the checkpoints that are kept with it. */
export interface LogWithCheckpoints {
  readonly events: EventStore;
  readonly checkpoints: Checkpoints;
}

export interface MigrationProgress {
  readonly phase: 'reading' | 'copying' | 'verifying';
  /** Events of the source; in `reading` as many as the target was found to have so far. */
  readonly done: number;
  /** Null where the source does not count its events. */
  readonly total: number | null;
}

/** The signal breaks off between two appends. */
export interface MigrationParts extends Patience {
  readonly source: LogWithCheckpoints;
  readonly target: LogWithCheckpoints & CopyTarget;
  /** The names under which the reactions keep their checkpoints. */
  readonly reactions: readonly string[];
  /** Told after every few events; it must be quick. */
  readonly onProgress: (progress: MigrationProgress) => void;
}

export type MigrationOutcome =
  | {
      readonly kind: 'migrated';
      readonly events: number;
      /** How many of them were copied this time. */
      readonly copied: number;
      readonly digests: Digests;
      readonly checkpoints: readonly TranslatedCheckpoint[];
      /** Events that the source took in after they were copied: another migration takes them along. */
      readonly newer: number;
    }
  /** The target holds something else than the beginning of the source. Nothing was written. */
  | { readonly kind: 'refused'; readonly difference: Difference }
  /** Somebody else wrote to the target meanwhile. */
  | { readonly kind: 'disturbed'; readonly disturbance: Disturbance }
  /** What was read back is not what was written. */
  | { readonly kind: 'unequal'; readonly difference: Difference }
  | { readonly kind: 'interrupted'; readonly copied: number };

/** @throws {StoreUnavailable | OutcomeUnknown} a log is away: what was copied stays, and counts the next time */
export async function migrateLog(parts: MigrationParts): Promise<MigrationOutcome> {
  let copied = 0;
  try {
    return await migrate(parts, (events) => (copied += events));
  } catch (error) {
    if (parts.signal.aborted) return { kind: 'interrupted', copied };
    throw error;
  }
}

async function migrate(
  { source, target, reactions, onProgress, ...patience }: MigrationParts,
  count: (events: number) => number,
): Promise<MigrationOutcome> {
  const survey = await surveyLogs(source.events, target.events, patience, (done) =>
    onProgress({ phase: 'reading', done, total: null }),
  );
  if (survey.difference !== null) return { kind: 'refused', difference: survey.difference };

  if (!survey.isWhole) await markUnfinished(target.checkpoints);
  // The copy is the same history: whoever followed it knows it again.
  const logId = source.events.marks.logId();
  if (logId !== null && logId !== target.events.marks.logId()) await target.events.marks.adopt(logId);
  const missing = survey.isWhole ? 0 : await countAfter(source.events, survey.presentUpTo);
  const total = missing === null ? null : survey.present + missing;
  let done = survey.present;
  const disturbance = await copyEvents(source.events, target, survey.presentUpTo, patience, (events) => {
    done = survey.present + count(events);
    onProgress({ phase: 'copying', done, total: total && Math.max(total, done) });
  });
  if (disturbance !== null) return { kind: 'disturbed', disturbance };

  const translation = await translateCheckpoints(source.checkpoints, reactions);
  let verified = 0;
  const verification = await verifyCopy(source.events, target.events, done, patience, (...positions) => {
    verified += 1;
    translation.pass(...positions);
    onProgress({ phase: 'verifying', done: verified, total: done });
  });
  const { difference, ...equal } = verification;
  if (difference !== null) return { kind: 'unequal', difference };

  const checkpoints = translation.translated();
  await keepCheckpoints(target.checkpoints, checkpoints);
  if (equal.newer === 0) await markFinished(target.checkpoints);
  return { kind: 'migrated', copied: done - survey.present, checkpoints, ...equal };
}

/** How many events the log has after a position (null: in all); null where it does not count them. */
async function countAfter(log: EventStore, position: string | null): Promise<number | null> {
  const last = await log.head();
  return last === null ? 0 : log.marks.countBetween(position, last);
}

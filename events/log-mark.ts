/**
 * What a follower of the log keeps with its position, so that it knows the log again: an append-only store is trusted by
 * everything that follows it, and a disk or an operator may give back less than was written.
 */
import { z } from 'zod';

/** SHA-256 (hex) over the identity of the log and the ids of its events up to a position, which follow from what they say. */
const runningDigestSchema = z.strictObject({ position: z.string(), sha256: z.string() });
export const logMarkSchema = z.strictObject({
  /** The log's identity. */
  logId: z.string(),
  position: z.string(),
  eventId: z.string(),
  /** When the event happened, as it says itself. */
  at: z.string(),
  /** The last that the log keeps at or before the position; null where it keeps none. */
  digest: runningDigestSchema.nullable(),
});

/** One event of one log: the last that a follower has seen. */
export type LogMark = Readonly<z.output<typeof logMarkSchema>>;

/** What a log knows of itself. */
export interface LogMarks {
  /**
   * Made once and kept in the log; a copy by `bourse migrate` is the same history and keeps it. Null where a log without
   * one cannot be written to.
   */
  readonly logId: () => string | null;
  /**
   * To be kept with a position: of the last event at or before it that the log has at hand. Null where it has none, or
   * no identity.
   */
  readonly at: (position: string) => Promise<LogMark | null>;
  /** The id of the event at this very position; null where none is, or the log ends before. */
  readonly eventIdAt: (position: string) => Promise<string | null>;
  /** The SHA-256 that is kept for this very position; null where none is. */
  readonly digestAt: (position: string) => Promise<string | null>;
  /** How many events are after one position (null: in all) up to another; null where positions do not count events. */
  readonly countBetween: (after: string | null, upTo: string) => number | null;
  /** Gives the log the identity of the one that it is a copy of. */
  readonly adopt: (logId: string) => Promise<void>;
}

/** Null for what is no mark: a follower that keeps nonsense is compared by its position alone. */
export function parseLogMark(text: string | null | undefined): LogMark | null {
  if (text === null || text === undefined) return null;
  try {
    return logMarkSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

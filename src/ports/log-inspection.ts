/** The port to what an engine knows of its own files beside the events that it gives: pages and indexes. */

export interface LogFinding {
  /** A position or a stream. */
  readonly place: string;
  readonly problem: string;
  /** Whether something could not be read at all, so that what lies behind it was not looked at. */
  readonly isUnreadable: boolean;
}

export interface InspectionStep {
  readonly phase: string;
  readonly done: number;
  readonly total: number | null;
  readonly findings: readonly LogFinding[];
}

/** In parts, each a read of its own, while others write. Streams without gaps are part of it. */
export type InspectLog = () => AsyncIterable<InspectionStep>;

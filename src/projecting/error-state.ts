/** What failed last in a projector, and how long to wait before the next try. */
import { fullJitter } from '../commanding/append-with-retry.ts';
import type { ProjectorError } from './projector-parts.ts';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;
const MAX_DOUBLINGS = 10;
/** Whoever loses a race for a page leaves the next ones to the other. */
const AFTER_LOSS_MS = 100;

export interface ErrorStateParts {
  /** Unix time in milliseconds. */
  readonly now: () => number;
  readonly onError: (projectorError: ProjectorError) => void;
}

export interface ErrorState {
  /** Tells of an error that is kept elsewhere. */
  readonly tell: (view: string | null, error: unknown) => ProjectorError;
  readonly failed: (error: unknown, by: 'look' | 'group') => void;
  /** Another process was faster. */
  readonly lost: () => void;
  readonly over: () => void;
  /** A good look ends the error of looks. What kept a group from going on, only a group that goes on can end. */
  readonly looked: () => void;
  readonly current: () => ProjectorError | null;
  /** Asked once for each failure. */
  readonly pauseMs: () => number;
}

export function createErrorState({ now, onError }: ErrorStateParts): ErrorState {
  let current: ProjectorError | null = null;
  let failedBy: 'look' | 'group' = 'look';
  let failures = 0;
  let pauseMs = 0;
  const tell = (view: string | null, error: unknown): ProjectorError => {
    const projectorError = { view, error, at: new Date(now()).toISOString() };
    onError(projectorError);
    return projectorError;
  };
  const over = (): void => {
    failures = 0;
    current = null;
  };
  return {
    tell,
    failed(error: unknown, by: 'look' | 'group'): void {
      failures += 1;
      failedBy = by;
      current = tell(null, error);
      pauseMs =
        FIRST_PAUSE_MS +
        Math.min(MAX_PAUSE_MS, fullJitter(Math.min(failures, MAX_DOUBLINGS), FIRST_PAUSE_MS));
    },
    lost(): void {
      pauseMs = Math.max(pauseMs, AFTER_LOSS_MS * (0.5 + Math.random()));
    },
    over,
    looked(): void {
      if (failedBy === 'look') over();
    },
    current: () => current,
    pauseMs(): number {
      const due = pauseMs;
      pauseMs = 0;
      return due;
    },
  };
}

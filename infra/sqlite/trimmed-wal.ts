/** Has the WAL of a file copied back by a thread when it has grown, where no log beside it has a worker that does. */
import { PASSES_ALONE, TRIM_EVERY_MS, walCopier } from './wal-copier.ts';
import { walTrimmer } from './wal-keeper.ts';

export interface TrimmedWal {
  /** Resolves once nothing is being copied any more. */
  readonly close: () => Promise<void>;
}

export function trimmedWal(path: string): TrimmedWal {
  // One that failed is tried again when the WAL has grown further; in the end SQLite does it within a commit.
  // The thread has memory of its own, and is needed for a moment now and then.
  const copier = walCopier(() => void copier.end());
  const trim = walTrimmer(path, () => copier.copy({ path, maxPasses: PASSES_ALONE }));
  const look = (): void => {
    try {
      trim();
    } catch {
      // A file that cannot be looked at: whoever reads and writes it tells of that.
    }
  };
  const timer = setInterval(look, TRIM_EVERY_MS).unref();
  return {
    close() {
      clearInterval(timer);
      return copier.end();
    },
  };
}

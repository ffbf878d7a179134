/**
 * Copies write-ahead logs back into their databases, in the writer's worker, so that no event loop waits for it:
 * PASSIVE (waits for nobody) when one has grown, TRUNCATE when nobody has written for a while.
 */
import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { WAL_LIMIT_BYTES } from './log-file.ts';

type Mode = 'PASSIVE' | 'TRUNCATE';

export interface WalKeeper {
  /** Right after a write, or now and then: copies back if the WAL has grown. */
  readonly trim: () => void;
  /** Now and then: empties the WAL if it has not changed since the last call. */
  readonly tidy: () => void;
}

/** `checkpoint` runs on a connection of the caller's; see {@link checkpointOnce} where there is none. */
export function walKeeper(path: string, checkpoint: (mode: Mode) => void): WalKeeper {
  let trimAtBytes = WAL_LIMIT_BYTES;
  let lastSeen = '';

  return {
    trim() {
      const size = walStat(path)?.size ?? 0;
      if (size <= WAL_LIMIT_BYTES) trimAtBytes = WAL_LIMIT_BYTES;
      if (size <= trimAtBytes) return;
      // A long reader elsewhere can keep it from shrinking: do not try again before it has grown by as much.
      trimAtBytes = size + WAL_LIMIT_BYTES;
      checkpoint('PASSIVE');
    },

    tidy() {
      const wal = walStat(path);
      const seen = wal === undefined ? '' : `${wal.size} ${wal.mtimeMs}`;
      if (wal !== undefined && wal.size > 0 && seen === lastSeen) checkpoint('TRUNCATE');
      lastSeen = seen;
    },
  };
}

/** A checkpoint through a connection of its own, which pins no file that was replaced in the meantime. */
export function checkpointOnce(path: string, mode: Mode): void {
  const db = new Database(path, { fileMustExist: true, timeout: 0 });
  try {
    db.pragma(`wal_checkpoint(${mode})`);
  } finally {
    db.close();
  }
}

function walStat(path: string): { readonly size: number; readonly mtimeMs: number } | undefined {
  return statSync(`${path}-wal`, { throwIfNoEntry: false });
}

/**
 * Keeps a write-ahead log small: it is copied back into its database when it has grown, and emptied when nobody has
 * written for a while. Who keeps it says how, so that neither an event loop nor a commit has to wait for it.
 */
import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { WAL_LIMIT_BYTES } from './log-file.ts';

export interface WalCare {
  /** Soon: a checkpoint that waits for nobody (PASSIVE). */
  readonly copyBack: () => void;
  /** Now: one that cuts the file to nothing (TRUNCATE). */
  readonly empty: () => void;
}

export interface WalKeeper {
  /** Right after a write, or now and then: has it copied back if it has grown. */
  readonly trim: () => void;
  /** Now and then: empties the WAL if it has not changed since the last call. */
  readonly tidy: () => void;
}

export function walKeeper(path: string, { copyBack, empty }: WalCare): WalKeeper {
  let lastSeen = '';

  return {
    trim: walTrimmer(path, copyBack),
    tidy() {
      const wal = walStat(path);
      const seen = wal === undefined ? '' : `${wal.size} ${wal.mtimeMs}`;
      if (wal !== undefined && wal.size > 0 && seen === lastSeen) empty();
      lastSeen = seen;
    },
  };
}

/** The half of a keeper that needs no `empty`. */
export function walTrimmer(path: string, copyBack: WalCare['copyBack']): WalKeeper['trim'] {
  let trimAtBytes = WAL_LIMIT_BYTES;
  return () => {
    const size = walStat(path)?.size ?? 0;
    if (size <= WAL_LIMIT_BYTES) trimAtBytes = WAL_LIMIT_BYTES;
    if (size <= trimAtBytes) return;
    // A long reader elsewhere can keep it from shrinking: do not try again before it has grown by as much.
    trimAtBytes = size + WAL_LIMIT_BYTES;
    copyBack();
  };
}

/** Copies what no reader is in the way of, and answers with how many pages the WAL had when that began. */
export function copyWalBack(db: Database.Database): number {
  // So SQLite documents the one row of this pragma: -1 where there is no WAL.
  const [row] = db.pragma('wal_checkpoint(PASSIVE)') as { log: number }[];
  return row?.log ?? 0;
}

export function emptyWal(db: Database.Database): void {
  db.pragma('wal_checkpoint(TRUNCATE)');
}

function walStat(path: string): { readonly size: number; readonly mtimeMs: number } | undefined {
  return statSync(`${path}-wal`, { throwIfNoEntry: false });
}

/**
 * The journal of meter.db. A batch of requests costs one row of it, however many accounts they are of; now and then what
 * it says is folded into the tables. Every process that shares the file takes in what the others wrote.
 */
import type { Database } from 'better-sqlite3';
import { METERED_WINDOW_MS } from '../../src/ports/meter.ts';
import { type Entry, MeterCounts } from './meter-counts.ts';
import type { MeterTables } from './meter-tables.ts';

/** To fold them takes some milliseconds, in which nothing is counted. */
const FOLD_AFTER_ENTRIES = 10_000;

export interface MeterJournal {
  /** To be called first in a transaction: the counts become what all processes have made of them. */
  readonly begin: () => void;
  readonly counts: () => MeterCounts;
  /** Changes the counts, in this transaction. */
  readonly write: (entry: Entry) => void;
  /** To be called last in a transaction. */
  readonly end: () => void;
  /** Brings the tables up to what the counts are. */
  readonly fold: () => void;
  /** The transaction was undone, and what is in memory was not. */
  readonly undone: () => void;
}

interface BatchRow {
  readonly batch: number;
  readonly entries: string;
}

export function meterJournal(db: Database, tables: MeterTables): MeterJournal {
  const dataVersion = db.prepare<[], number>('PRAGMA data_version').pluck();
  const selectFolded = db.prepare<[], number>('SELECT batch FROM folded').pluck();
  const updateFolded = db.prepare<[number]>('UPDATE folded SET batch = ?');
  const batchesAfter = db.prepare<[number], BatchRow>(
    'SELECT batch, entries FROM journal WHERE batch > ? ORDER BY batch',
  );
  const insert = db.prepare<[number, string]>('INSERT INTO journal (at, entries) VALUES (?, ?)');
  const forget = db.prepare<[number, number]>('DELETE FROM journal WHERE batch <= ? AND at <= ?');

  let counts = new MeterCounts(tables.month);
  /** The last batch that is in the counts. */
  let last = 0;
  /** The last batch that is in the tables. */
  let folded = 0;
  /** SQLite's: another one once another process has committed. */
  let seenVersion: number | undefined;
  let written: Entry[] = [];
  let unfolded = 0;

  function takeIn(rows: readonly BatchRow[]): void {
    for (const { batch, entries } of rows) {
      // Nothing else writes to the journal.
      const taken = JSON.parse(entries) as readonly Entry[];
      for (const entry of taken) {
        if (batch <= folded) counts.applyFolded(entry);
        else counts.apply(entry);
      }
      if (batch > folded) unfolded += taken.length;
      last = batch;
    }
  }

  function forgetAll(): void {
    counts = new MeterCounts(tables.month);
    [last, folded, unfolded, written] = [0, 0, 0, []];
  }

  function fold(): void {
    append();
    if (unfolded === 0) return;
    tables.fold(counts.unfolded);
    updateFolded.run(last);
    forget.run(last, counts.nowMs - METERED_WINDOW_MS);
    counts.folded();
    counts.forgetIdle();
    [folded, unfolded] = [last, 0];
  }

  function append(): void {
    if (written.length === 0) return;
    // Where the clock was set back, their minute ends later than now: until then others must find them.
    const atMs = Math.max(counts.nowMs, counts.takeNewestMs());
    last = Number(insert.run(atMs, JSON.stringify(written)).lastInsertRowid);
    written = [];
  }

  return {
    begin() {
      const version = dataVersion.get();
      if (version === seenVersion) return;
      seenVersion = version;
      const nowFolded = selectFolded.get() ?? 0;
      const rows = batchesAfter.all(last);
      const newest = Math.max(last, nowFolded, rows.at(-1)?.batch ?? 0);
      // Whoever was idle for a while misses what the others have let go by now: the tables have it.
      const isWhole = rows.length === newest - last;
      if (!isWhole) forgetAll();
      const isFoldedByOthers = nowFolded !== folded;
      if (isFoldedByOthers) {
        counts.folded();
        [folded, unfolded] = [nowFolded, 0];
      }
      takeIn(isWhole ? rows : batchesAfter.all(0));
      // Of the batches to come, not of those of others.
      counts.takeNewestMs();
      if (isFoldedByOthers) counts.forgetIdle();
      last = newest;
    },
    counts: () => counts,
    write(entry) {
      counts.apply(entry);
      written.push(entry);
      unfolded += 1;
    },
    end() {
      if (unfolded >= FOLD_AFTER_ENTRIES) fold();
      else append();
    },
    fold,
    undone() {
      forgetAll();
      seenVersion = undefined;
    },
  };
}

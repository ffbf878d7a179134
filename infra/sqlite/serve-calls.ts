/** The worker's side of call-thread.ts: it runs one batch of calls after the other, each batch in one durable transaction. */
import type { Database, Transaction } from 'better-sqlite3';
import type { CallAnswer, CallRequest, Calls } from './call-thread.ts';
import { closedOnFailure } from './connections.ts';
import { displacement, type OpenFiles, openFiles } from './open-files.ts';
import { serveQuestions } from './serve-questions.ts';
import { type WalMarker, walMarker } from './wal-origin.ts';
import { whyOf } from './why.ts';

export interface Connection {
  readonly calls: Calls;
  /** Called first and last in the transaction of a batch, and once it was undone: for what is kept in memory. */
  readonly begin?: () => void;
  readonly end?: () => void;
  readonly undone?: () => void;
}

interface Opened extends Pick<Connection, 'undone'> {
  readonly db: Database;
  readonly files: OpenFiles;
  readonly wal: WalMarker | null;
  /** Made once: to make a transaction costs as much as some of its calls. */
  readonly run: Transaction<(batch: readonly CallRequest[]) => readonly unknown[]>;
}

export interface ServedFile {
  /** What the event loop has open; by default what is found when the first batch comes. */
  readonly files?: OpenFiles;
  /** Whether commits go through a write-ahead log, which is then marked as the file's own. */
  readonly hasWal?: boolean;
  /** Its transactions do not wait for those that write, nor do these wait for them. */
  readonly onlyReads?: boolean;
}

/**
 * @param open called when the first batch comes, and again after a failure to open it or to prepare its calls
 * @param connect of a damaged file the tables may have other columns, and nothing can be prepared
 */
export function serveCalls(
  path: string,
  open: (path: string) => Database,
  connect: (db: Database) => Connection,
  { files: openElsewhere, hasWal = true, onlyReads = false }: ServedFile = {},
): void {
  let opened: Opened | undefined;
  /** The transaction of the latest batch. */
  let hasBegun = false;

  function connected(): Opened {
    if (opened !== undefined) return opened;
    if (openElsewhere !== undefined) assertInPlace(openElsewhere);
    opened = closedOnFailure(open(path), (db) => {
      const files = openElsewhere ?? openFiles(path);
      const connection = connect(db);
      const wal = hasWal && !onlyReads ? walMarker(db, path) : null;
      const run = db.transaction((batch: readonly CallRequest[]) => {
        hasBegun = true;
        connection.begin?.();
        const results = batch.map((request) => perform(connection.calls, request));
        connection.end?.();
        wal?.join();
        return results;
      });
      return { db, ...connection, files, wal, run };
    });
    return opened;
  }

  function answerTo(batch: readonly CallRequest[]): CallAnswer {
    hasBegun = false;
    try {
      const { files, wal, run } = connected();
      assertInPlace(files);
      const results = onlyReads ? run.deferred(batch) : run.immediate(batch);
      wal?.mark();
      // Before anybody is told: what was written to a file that was removed meanwhile is gone with it.
      assertInPlace(files);
      return { ok: true, results };
    } catch (error) {
      if (hasBegun) opened?.undone?.();
      return { ok: false, message: `${path}: ${whyOf(error)}` };
    }
  }

  serveQuestions(answerTo, () => {
    opened?.db.close();
    opened?.wal?.close();
  });
}

function assertInPlace(files: OpenFiles): void {
  const displaced = displacement(files);
  if (displaced !== null) throw new Error(displaced);
}

function perform(calls: Calls, [call, args]: CallRequest): unknown {
  // call-thread.ts pairs each call with its own arguments.
  const method = calls[call] as (...given: readonly unknown[]) => unknown;
  return method(...args);
}

/** The worker's side of call-thread.ts: it runs one batch of calls after the other, each batch in one durable transaction. */
import { parentPort } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import type { CallAnswer, CallRequest, Calls } from './call-thread.ts';
import { displacement, type OpenFiles, openFiles } from './open-files.ts';
import { type WalMarker, walMarker } from './wal-origin.ts';
import { whyOf } from './why.ts';

export interface Connection {
  readonly db: Database;
  readonly calls: Calls;
  /** Called first and last in the transaction of a batch, and once it was undone: for what is kept in memory. */
  readonly begin?: () => void;
  readonly end?: () => void;
  readonly undone?: () => void;
}

/** @param connect opens the file when the first batch comes, and again after a failure to do so */
export function serveCalls(path: string, connect: () => Connection): void {
  if (parentPort === null) throw new Error('calls are served in a worker only');
  const port = parentPort;
  let connection: Connection | undefined;
  let files: OpenFiles | undefined;
  let wal: WalMarker | undefined;

  function connected(): Connection {
    if (connection !== undefined) return connection;
    connection = connect();
    files = openFiles(path);
    wal = walMarker(connection.db, path);
    return connection;
  }

  function assertInPlace(): void {
    const displaced = files === undefined ? null : displacement(files);
    if (displaced !== null) throw new Error(displaced);
  }

  function answerTo(batch: readonly CallRequest[]): CallAnswer {
    let hasBegun = false;
    try {
      const { db, calls, begin, end } = connected();
      const run = db.transaction(() => {
        hasBegun = true;
        begin?.();
        const results = batch.map((request) => perform(calls, request));
        end?.();
        return results;
      });
      assertInPlace();
      const results = run.immediate();
      wal?.mark();
      // Before anybody is told: what was written to a file that was removed meanwhile is gone with it.
      assertInPlace();
      return { ok: true, results };
    } catch (error) {
      if (hasBegun) connection?.undone?.();
      return { ok: false, message: `${path}: ${whyOf(error)}` };
    }
  }

  port.on('message', (batch: readonly CallRequest[] | null) => {
    if (batch === null) {
      connection?.db.close();
      wal?.close();
      port.close();
      return;
    }
    port.postMessage(answerTo(batch));
  });
}

function perform(calls: Calls, { call, args }: CallRequest): unknown {
  // call-thread.ts pairs each call with its own arguments.
  const method = calls[call] as (...given: readonly unknown[]) => unknown;
  return method(...args);
}

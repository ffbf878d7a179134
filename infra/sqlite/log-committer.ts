/** Commits groups of requests to the log: one transaction, one sync for all of them. Runs in the writer's worker. */
import type { Database } from 'better-sqlite3';
import type { AppendRequest, Place, WriteOutcome, WriteRequest } from './log-messages.ts';
import { digestKeeper, setIdentity } from './log-marks.ts';
import { isSqliteError } from './sqlite-error.ts';
import { touch } from './touch.ts';
import { whyOf } from './why.ts';

/** How long other processes may keep the write lock before a group is given up. */
const LOCK_PATIENCE_MS = 2_000;
/** Short and random: a busy writer leaves gaps of microseconds, and two that wait must not keep step. */
const LOCK_PAUSE_MS = 4;

/** COMMIT itself failed on the disk: nothing is visible now, but the recovery after a crash may find the group. */
export class CommitUncertain extends Error {
  override readonly name = 'CommitUncertain';
}

/** The log ends before what was committed to it: its file was overwritten while it was open. */
export class LogShrunk extends Error {
  override readonly name = 'LogShrunk';
}

/** How far the log has been seen to go; it outlives the connection. */
export interface Reached {
  row: number;
}

/** Writes a group. It is durable on return; on any error but {@link CommitUncertain} nothing was written. */
export type CommitGroup = (group: readonly WriteRequest[]) => readonly WriteOutcome[];

/** @param beforeCommit called within the transaction, where a look at the log takes no locks of its own */
export function groupCommitter(
  db: Database,
  reached: Reached = { row: 0 },
  beforeCommit: () => void = () => {},
): CommitGroup {
  const write = requestWriter(db, reached);
  const inTransaction = transactionRunner(db);
  const writeOrUndo = db.transaction(write);
  const keepDigests = digestKeeper(db);
  const commit = (work: () => readonly WriteOutcome[]): readonly WriteOutcome[] => {
    let row = reached.row;
    const outcomes = inTransaction(() => {
      const written = work();
      row = lastRowOf(written);
      if (row > 0) keepDigests(row);
      beforeCommit();
      return written;
    });
    reached.row = Math.max(reached.row, row);
    return outcomes;
  };

  return (group) => {
    try {
      return commit(() => group.map(write));
    } catch (error) {
      if (!isBrokenRequest(error)) throw error;
    }
    // Some request breaks a rule: a bug, and rare, so the savepoints that single it out are paid for only now.
    return commit(() => group.map((request) => singledOut(() => writeOrUndo(request))));
  };
}

/** Of the last event of the last append; 0 where nothing was appended. */
function lastRowOf(outcomes: readonly WriteOutcome[]): number {
  let row = 0;
  for (const outcome of outcomes) {
    if (outcome[0] !== 'appended') continue;
    row = Math.max(row, outcome[1][1]);
    for (const place of outcome[2]) row = Math.max(row, place?.[1] ?? 0);
  }
  return row;
}

function singledOut(write: () => WriteOutcome): WriteOutcome {
  try {
    return write();
  } catch (error) {
    if (isBrokenRequest(error)) return ['broken', error instanceof Error ? error.message : String(error)];
    throw error;
  }
}

/** The request's own fault, and not the disk's or a lock's, which would befall the whole group. */
function isBrokenRequest(error: unknown): boolean {
  if (error instanceof CommitUncertain || error instanceof LogShrunk) return false;
  return (
    !isSqliteError(error) ||
    isSqliteError(error, 'SQLITE_CONSTRAINT') ||
    isSqliteError(error, 'SQLITE_TOOBIG')
  );
}

function requestWriter(db: Database, reached: Reached): (request: WriteRequest) => WriteOutcome {
  const append = appender(db, reached);
  const keep = db.prepare<[string, string]>(
    'INSERT INTO checkpoints VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET position = excluded.position',
  );
  return (request) => {
    if (request[0] === 'append') {
      const [, first, dependents] = request;
      const place = append(first);
      if (!isPlace(place)) return ['conflict', place.head];
      return ['appended', place, dependents.map((dependent) => placeOf(append(dependent)))];
    }
    if (request[0] === 'checkpoint') keep.run(request[1], request[2]);
    else if (request[0] === 'identity') setIdentity(db, request[1]);
    else touch(db);
    return ['kept'];
  };
}

/** Somebody else wrote first. */
interface Conflict {
  readonly head: number;
}

function isPlace(result: Place | Conflict): result is Place {
  return !('head' in result);
}

function placeOf(result: Place | Conflict): Place | null {
  return isPlace(result) ? result : null;
}

/** The head is looked up by index, so an ordinary conflict costs no savepoint. */
function appender(db: Database, reached: Reached): (request: AppendRequest) => Place | Conflict {
  const headOf = db
    .prepare<[string], number>(
      'SELECT revision FROM events WHERE stream_id = ? ORDER BY revision DESC LIMIT 1',
    )
    .pluck();
  const insert = db.prepare(
    `INSERT INTO events (stream_id, revision, event_id, type, version, at, data, meta)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const earlier = db.prepare<[string, number, number], { id: string; position: number }>(
    `SELECT event_id AS id, position FROM events
     WHERE stream_id = ? AND revision > ? ORDER BY revision LIMIT ?`,
  );

  return ([streamId, expected, rows]) => {
    const head = headOf.get(streamId) ?? -1;
    if (expected === head) {
      let revision = expected;
      let position = 0;
      for (const row of rows) {
        revision += 1;
        position = Number(insert.run(streamId, revision, ...row).lastInsertRowid);
      }
      if (position <= reached.row)
        throw new LogShrunk(
          `the log has lost events while it was open: the next would be ${position}, and ${reached.row} was written. Stop every process, put the right files in place and start again`,
        );
      return [revision, position];
    }
    const written = expected < head ? earlier.all(streamId, expected, rows.length) : [];
    const last = written.at(-1);
    const isRepeat = rows.every((row, i) => row[0] === written[i]?.id);
    if (last === undefined || !isRepeat) return { head };
    return [expected + rows.length, last.position];
  };
}

function transactionRunner(db: Database): <T>(work: () => T) => T {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');

  return (work) => {
    withPatience(() => begin.run());
    let isCommitting = false;
    try {
      const result = work();
      isCommitting = true;
      commit.run();
      return result;
    } catch (error) {
      if (db.inTransaction) rollback.run();
      if (isCommitting && isSqliteError(error, 'SQLITE_IOERR'))
        throw new CommitUncertain(whyOf(error), { cause: error });
      throw error;
    }
  };
}

/** The worker has nothing else to do than wait for the lock: the event loop is elsewhere. */
function withPatience(begin: () => void): void {
  const deadline = Date.now() + LOCK_PATIENCE_MS;
  for (;;) {
    try {
      return begin();
    } catch (error) {
      if (!isSqliteError(error, 'SQLITE_BUSY') || Date.now() > deadline) throw error;
      Atomics.wait(pause, 0, 0, Math.random() * LOCK_PAUSE_MS);
    }
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4));

/** The embedded log: one SQLite file, read on the event loop and written by a worker. */
import { closeSync, openSync } from 'node:fs';
import { assertAppendable, assertNotTooLarge, weigh } from '../../events/appendable.ts';
import type { Checkpoints } from '../../events/checkpoints.ts';
import type { NewEvent } from '../../events/event.ts';
import type { Append, EventStore, DependentsResult } from '../../events/event-store.ts';
import { sealedTexts } from '../../events/sealed-event.ts';
import type { InspectLog } from '../../src/ports/log-inspection.ts';
import { closedOnFailure } from './connections.ts';
import { CommitWatch } from './commit-watch.ts';
import type { LogMark } from '../../events/log-mark.ts';
import { readHeadWitness } from './head-witness.ts';
import { logCheckpoints } from './log-checkpoints.ts';
import { openLogForReading, walBytes } from './log-file.ts';
import type { AppendRequest, EventRow, Place } from './log-messages.ts';
import { logMarks } from './log-marks.ts';
import { isPosition, toPosition } from './log-position.ts';
import { inspectLog } from './log-inspection.ts';
import { logReader } from './log-reader.ts';
import { subscribeToLog } from './log-subscription.ts';
import { LogWriter, type StartWorker, MAX_GROUP_CHARS, MAX_GROUP_REQUESTS } from './log-writer.ts';
import { openFiles } from './open-files.ts';
import { type TailCache, createTailCache } from './tail-cache.ts';
import { assertRoom } from './room.ts';

export interface SqliteLogOptions {
  readonly path: string;
  /** Whether nothing is created or changed before the first write, for whoever only looks. */
  readonly isLeftAlone?: boolean;
  /**
   * Other database files, opened elsewhere with `wal_autocheckpoint = 0`, whose WAL the log's worker keeps small. Set
   * `journal_size_limit` on their writing connection to at most {@link WAL_LIMIT_BYTES}.
   */
  readonly maintain?: readonly string[];
  /** Told once that the files of the log were removed or replaced, and once that they are back. */
  readonly onDisplaced?: ((message: string | null) => void) | undefined;
  /** Told once why the file beside the log that says where it ends cannot be written, and once that it can again. */
  readonly onWitness?: ((message: string | null) => void) | undefined;
  /** For tests that end the worker. */
  readonly startWorker?: StartWorker | undefined;
}

export interface SqliteLogStats {
  /** Commits, and the appends in them, since the start; an append with its dependents is one. */
  readonly groups: number;
  readonly appends: number;
  /** Writes that wait or are being committed. */
  readonly queueDepth: number;
  readonly walBytes: number;
  readonly checkpointFailures: number;
}

export interface SqliteLog {
  readonly store: EventStore;
  readonly checkpoints: Checkpoints;
  /**
   * Appends that are asked for in one turn, within these bounds and while no other is under way, are one group: they
   * are committed in that order, all or none.
   */
  readonly together: { readonly appends: number; readonly bytes: number };
  readonly stats: () => SqliteLogStats;
  readonly inspect: InspectLog;
  /** Where the log ended when somebody was last told of an append, as a file beside it says; null where that tells nothing. */
  readonly witness: () => LogMark | null;
  readonly close: () => Promise<void>;
}

/**
 * Opens the log, and creates it where there is none. The writer is started by the first write.
 * @throws {UnusableLogFile} no folder, no access, or the file is something else
 */
export async function openSqliteLog({
  path,
  isLeftAlone,
  maintain = [],
  onDisplaced,
  onWitness,
  startWorker,
}: SqliteLogOptions): Promise<SqliteLog> {
  const db = await openLogForReading(path, isLeftAlone);
  const { reader, marks, checkpoints } = closedOnFailure(db, () => ({
    reader: logReader(db),
    marks: logMarks(db, adopt),
    checkpoints: logCheckpoints(db, { write: (...args) => writer.write(...args) }),
  }));
  const files = openFiles(path);
  const mainFile = openSync(path, 'r');
  const watch = new CommitWatch(() => reader.head());
  const tail = createTailCache();
  const onCommit = (): void => watch.wakeAll();
  const told = { onCommit, onDisplaced, onWitness };
  const writer = new LogWriter({ path, files, mainFile, maintain, startWorker, ...told });
  async function adopt(logId: string): Promise<void> {
    const outcome = await writer.write(['identity', logId], logId.length);
    if (outcome[0] !== 'kept') throw new Error(`the log did not take the identity ${logId}: ${outcome[0]}`);
  }
  const stop = async (): Promise<void> => {
    watch.close();
    await writer.close();
    // After the writer: a read-only last connection leaves the files that a read-only file system asks for.
    db.close();
    // After every connection: with any descriptor of the file the process gives up its locks of it.
    closeSync(mainFile);
  };
  let stopped: Promise<void> | undefined;
  const close = () => (stopped ??= stop());

  const store: EventStore = {
    async append(streamId, expectedRevision, events) {
      const { first } = await append(writer, tail, { streamId, expectedRevision, events }, []);
      return first;
    },
    appendAll: (first, dependents) => append(writer, tail, first, dependents),
    read: (streamId, options = {}) => reader.read(streamId, options),
    subscribe: (options) => subscribeToLog(reader, tail, watch, options),
    async head() {
      const row = reader.head();
      return row === 0 ? null : toPosition(row);
    },
    knows: isPosition,
    marks,
    async checkWritable() {
      await assertRoom(path);
      await writer.checkWritable();
    },
    close,
  };
  const stats = () => ({ ...writer.stats(), walBytes: walBytes(path) });
  // Events weigh more bytes than the characters that the queue counts.
  const together = { appends: MAX_GROUP_REQUESTS, bytes: MAX_GROUP_CHARS };
  const inspect = () => inspectLog(db);
  const witness = () => readHeadWitness(path);
  return { store, checkpoints, together, stats, inspect, witness, close };
}

async function append(
  writer: LogWriter,
  tailCache: TailCache,
  first: Append,
  dependents: readonly Append[],
): Promise<DependentsResult> {
  const head = requested(first);
  const tail = dependents.map(requested);
  const chars = tail.reduce((sum, dependent) => sum + dependent.chars, head.chars);
  const request = ['append', head.request, tail.map((dependent) => dependent.request)] as const;
  const outcome = await writer.write(request, chars, (committed) => {
    if (committed[0] !== 'appended') return;
    const [, place, places] = committed;
    remember(tailCache, first, head.chars, place);
    dependents.forEach((dependent, i) =>
      remember(tailCache, dependent, tail[i]?.chars ?? 0, places[i] ?? null),
    );
  });
  switch (outcome[0]) {
    case 'appended': {
      const [, [revision, row], places] = outcome;
      const dependent = places.map((place) => place !== null);
      return { first: { ok: true, revision, position: toPosition(row) }, dependents: dependent };
    }
    case 'conflict':
      return { first: { ok: false, actualRevision: outcome[1] }, dependents: dependents.map(() => false) };
    default:
      throw new Error(`the log refused an append to ${first.streamId}: ${outcome[1] ?? outcome[0]}`);
  }
}

/** @throws {RangeError} */
function requested({ streamId, expectedRevision, events }: Append): {
  readonly request: AppendRequest;
  readonly chars: number;
} {
  assertAppendable(expectedRevision, events);
  const rows = events.map(toRow);
  assertNotTooLarge(rows.reduce((sum, [, , , , data, meta]) => sum + weigh(data, meta), 0));
  const chars = rows.reduce((sum, [, , , , data, meta]) => sum + data.length + meta.length, 0);
  return { request: [streamId, expectedRevision, rows], chars };
}

function remember(tail: TailCache, append: Append, chars: number, place: Place | null): void {
  if (place === null) return;
  const { streamId, expectedRevision, events } = append;
  tail.add(streamId, events, { revision: expectedRevision + 1, row: place[1] - events.length + 1 }, chars);
}

function toRow(event: NewEvent): EventRow {
  const { id, type, version, at, data, meta } = event;
  const texts = sealedTexts(event);
  return [id, type, version, at, texts?.data ?? JSON.stringify(data), texts?.meta ?? JSON.stringify(meta)];
}

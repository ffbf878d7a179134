/** The worker behind log-writer.ts: it commits one group after the other and has the WALs kept small. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import type { LogMark } from '../../events/log-mark.ts';
import { withConnection } from './connections.ts';
import { type HeadWitness, openHeadWitness } from './head-witness.ts';
import { type CommitGroup, CommitUncertain, groupCommitter, type Reached } from './log-committer.ts';
import { openLogForWriting } from './log-file.ts';
import { logMarksTable } from './log-marks.ts';
import { toRow } from './log-position.ts';
import { logWalMarker } from './log-wal-origin.ts';
import type { FromWriter, ToWriter, WriteOutcome, WriteRequest, WriterSettings } from './log-messages.ts';
import { type FromCopier, PASSES_ALONE, TRIM_EVERY_MS, walCopier } from './wal-copier.ts';
import { displacement, isWalAlone, openFiles } from './open-files.ts';
import { whyOf } from './why.ts';
import { copyWalBack, emptyWal, walKeeper } from './wal-keeper.ts';

const TIDY_EVERY_MS = 1_000;
const LOOK_EVERY_MS = 250;
/** What is left of the log's WAL its writer copies itself: `finishCopy`. */
const LOG_PASSES = 1;

if (parentPort === null) throw new Error('log-writer-worker is started by log-writer only');
const port = parentPort;
// Only log-writer.ts starts this worker, and it passes these settings.
const settings = workerData as WriterSettings;

interface Connection {
  readonly db: Database;
  readonly commit: CommitGroup;
  /** Null until it is told something. */
  witness: HeadWitness | null;
}

let connection: Connection | undefined;
/** Also over a new connection: what was written once is not to be written over. */
const reached: Reached = { row: 0 };
let files = settings.files;
let displaced: string | null = null;
/** Where the log ends with the group that was committed last, or is being committed. */
let head: LogMark | null = null;
/** The row that it ended with when the last group had been committed, whoever appended it. */
let committedRow = 0;
let witnessFailure: string | null = null;
const copier = walCopier(finishCopy);
const logKeeper = walKeeper(settings.path, {
  copyBack: () => copier.copy({ path: settings.path, maxPasses: LOG_PASSES }),
  empty: emptyLog,
});
const otherKeepers = settings.maintain.map((path) =>
  walKeeper(path, {
    copyBack: () => copier.copy({ path, maxPasses: PASSES_ALONE }),
    empty: () => withConnection(path, emptyWal),
  }),
);
const timers = [
  setInterval(() => look() === null && reporting(replaceWitness), LOOK_EVERY_MS),
  setInterval(() => otherKeepers.forEach((keeper) => reporting(keeper.trim)), TRIM_EVERY_MS),
  setInterval(() => [logKeeper, ...otherKeepers].forEach((keeper) => reporting(keeper.tidy)), TIDY_EVERY_MS),
];

port.on('message', (message: ToWriter) => {
  if (message === null) return void finish();
  send(answerTo(message));
  reporting(logKeeper.trim);
});

function answerTo(group: readonly WriteRequest[]): FromWriter {
  if (look() !== null) return { kind: 'refused', message: String(displaced) };
  try {
    connection ??= connect();
    const outcomes = connection.commit(group);
    if (head !== null) committedRow = toRow(head.position);
    if (changesHead(group, outcomes)) tellWitness(connection);
    // Before anybody is told: what was written to a file that was removed meanwhile is gone with it.
    return look() === null
      ? { kind: 'committed', outcomes }
      : { kind: 'unknown', message: String(displaced) };
  } catch (error) {
    disconnect();
    const message = `${settings.path}: ${whyOf(error)}`;
    return { kind: error instanceof CommitUncertain ? 'unknown' : 'refused', message };
  }
}

/** Whether the log ends elsewhere now, or under another name. */
function changesHead(group: readonly WriteRequest[], outcomes: readonly WriteOutcome[]): boolean {
  return outcomes.some(([kind], i) => kind === 'appended' || group[i]?.[0] === 'identity');
}

/**
 * One that cannot be written is no reason to refuse writes: what it said last is of this log too, and tells less. The
 * event loop is told when it changes.
 */
function tellWitness(one: Connection): void {
  const failure = writeWitness(one);
  if (failure === witnessFailure) return;
  witnessFailure = failure;
  send({ kind: 'witness', message: failure });
}

/** Why it could not be written; null where it was. */
function writeWitness(one: Connection): string | null {
  try {
    one.witness ??= openHeadWitness(settings.path);
    one.witness.write(head);
    return null;
  } catch (error) {
    closeWitness(one);
    return whyOf(error);
  }
}

/** One that was removed, or changed for another, is made anew with what it is to say: nobody would read the old one. */
function replaceWitness(): void {
  if (connection?.witness?.isInPlace() !== false) return;
  closeWitness(connection);
  tellWitness(connection);
}

/** The next write opens it afresh: it may be another file by then. */
function closeWitness(one: Connection): void {
  const { witness } = one;
  one.witness = null;
  reporting(() => witness?.close());
}

function connect(): Connection {
  const db = openLogForWriting(settings.path);
  const known = files ?? openFiles(settings.path);
  files = known.wal === null ? { ...known, wal: openFiles(settings.path).wal } : known;
  const marks = logMarksTable(db);
  const wal = settings.mainFile === undefined ? null : logWalMarker(db, settings.mainFile);
  const commit = groupCommitter(db, reached, () => {
    wal?.join(committedRow);
    head = marks.at(Number.MAX_SAFE_INTEGER);
  });
  return { db, commit, witness: null };
}

/** Whether the files are in their place, told to the event loop when it changes. */
function look(): string | null {
  const found = files === undefined ? null : displacement(files);
  if (found === displaced) return displaced;
  displaced = found;
  send({ kind: 'displaced', message: displaced });
  if (displaced !== null) reporting(saveWal);
  return displaced;
}

/** Commits of a write-ahead log that was removed alone are safe once they are copied into the database. */
function saveWal(): void {
  if (connection !== undefined && files !== undefined && isWalAlone(files)) copyWalBack(connection.db);
}

/** After a failure the next group starts afresh, on a file system that may have room again or be writable again. */
function disconnect(): void {
  const last = connection;
  connection = undefined;
  if (last === undefined) return;
  closeWitness(last);
  reporting(() => last.db.close());
}

/**
 * The log's WAL starts anew only from a commit before which all of it was copied. A busy writer leaves the copier no such
 * moment, so the writer itself copies the little that came meanwhile.
 */
function finishCopy({ path, failure }: FromCopier): void {
  if (failure !== null) send({ kind: 'checkpointFailed', message: failure });
  else if (path === settings.path) reporting(() => connection && copyWalBack(connection.db));
}

function emptyLog(): void {
  if (connection !== undefined) emptyWal(connection.db);
}

function reporting(maintain: () => void): void {
  try {
    maintain();
  } catch (error) {
    send({ kind: 'checkpointFailed', message: whyOf(error) });
  }
}

async function finish(): Promise<void> {
  timers.forEach(clearInterval);
  await copier.end();
  reporting(emptyLog);
  disconnect();
  port.close();
}

function send(message: FromWriter): void {
  port.postMessage(message);
}

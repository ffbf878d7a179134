/** The worker behind log-writer.ts: it commits one group after the other and has the WALs kept small. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { type CommitGroup, CommitUncertain, groupCommitter } from './log-committer.ts';
import { openLogForWriting } from './log-file.ts';
import type { FromWriter, ToWriter, WriteRequest, WriterSettings } from './log-messages.ts';
import { type FromCopier, walCopier } from './wal-copier.ts';
import { copyWalBack, emptyWal, walKeeper, withConnection } from './wal-keeper.ts';

const TIDY_EVERY_MS = 1_000;
const TRIM_EVERY_MS = 100;
/** What is left of the log's WAL its writer copies itself: `finishCopy`. */
const LOG_PASSES = 1;
/** Nobody does so for the others, whose writers would stop for it once the WAL is four times too large. */
const OTHERS_PASSES = 10;

if (parentPort === null) throw new Error('log-writer-worker is started by log-writer only');
const port = parentPort;
// Only log-writer.ts starts this worker, and it passes these settings.
const settings = workerData as WriterSettings;

let connection: { readonly db: Database; readonly commit: CommitGroup } | undefined;
const copier = walCopier(finishCopy);
const logKeeper = walKeeper(settings.path, {
  copyBack: () => copier.copy({ path: settings.path, maxPasses: LOG_PASSES }),
  empty: emptyLog,
});
const otherKeepers = settings.maintain.map((path) =>
  walKeeper(path, {
    copyBack: () => copier.copy({ path, maxPasses: OTHERS_PASSES }),
    empty: () => withConnection(path, emptyWal),
  }),
);
const timers = [
  setInterval(() => otherKeepers.forEach((keeper) => reporting(keeper.trim)), TRIM_EVERY_MS),
  setInterval(() => [logKeeper, ...otherKeepers].forEach((keeper) => reporting(keeper.tidy)), TIDY_EVERY_MS),
];

port.on('message', (message: ToWriter) => {
  if (message === null) return void finish();
  send(answerTo(message));
  reporting(logKeeper.trim);
});

function answerTo(group: readonly WriteRequest[]): FromWriter {
  try {
    connection ??= connect();
    return { kind: 'committed', outcomes: connection.commit(group) };
  } catch (error) {
    disconnect();
    return { kind: error instanceof CommitUncertain ? 'unknown' : 'refused', message: messageOf(error) };
  }
}

function connect(): { readonly db: Database; readonly commit: CommitGroup } {
  const db = openLogForWriting(settings.path);
  return { db, commit: groupCommitter(db) };
}

/** After a failure the next group starts afresh, on a file system that may have room again or be writable again. */
function disconnect(): void {
  const last = connection;
  connection = undefined;
  reporting(() => last?.db.close());
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
    send({ kind: 'checkpointFailed', message: messageOf(error) });
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

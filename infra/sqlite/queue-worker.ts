/** The worker behind queue.ts: it runs one batch of calls after the other, each batch in one durable transaction. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { leaseTable } from './leases.ts';
import { deliveryTable } from './queue-deliveries.ts';
import { displacement, type OpenFiles, openFiles } from './open-files.ts';
import { openQueueFile } from './queue-file.ts';
import type { QueueAnswer, QueueCalls, QueueRequest } from './queue-messages.ts';
import { markTable } from './queue-mark.ts';
import { taskTable } from './queue-tasks.ts';
import { touch } from './touch.ts';
import { whyOf } from './why.ts';

if (parentPort === null) throw new Error('queue-worker is started by queue only');
const port = parentPort;
// Only queue-thread.ts starts this worker, and it passes the path.
const path = workerData as string;

let connection: { readonly db: Database; readonly calls: QueueCalls } | undefined;
let files: OpenFiles | undefined;

port.on('message', (batch: readonly QueueRequest[] | null) => {
  if (batch === null) {
    connection?.db.close();
    port.close();
    return;
  }
  port.postMessage(answerTo(batch));
});

function answerTo(batch: readonly QueueRequest[]): QueueAnswer {
  try {
    const { db, calls } = (connection ??= connect());
    const run = db.transaction(() => batch.map((request) => perform(calls, request)));
    assertInPlace();
    const results = run.immediate();
    // Before anybody is told: what was written to a file that was removed meanwhile is gone with it.
    assertInPlace();
    return { ok: true, results };
  } catch (error) {
    return { ok: false, message: `${path}: ${whyOf(error)}` };
  }
}

function perform(calls: QueueCalls, { call, args }: QueueRequest): unknown {
  // queue-thread.ts pairs each call with its own arguments.
  const method = calls[call] as (...given: readonly unknown[]) => unknown;
  return method(...args);
}

function connect(): { readonly db: Database; readonly calls: QueueCalls } {
  const db = openQueueFile(path);
  files = openFiles(path);
  const checkWritable = (): void => touch(db);
  const calls = {
    ...taskTable(db),
    ...deliveryTable(db),
    ...leaseTable(db),
    ...markTable(db),
    checkWritable,
  };
  return { db, calls };
}

function assertInPlace(): void {
  const displaced = files === undefined ? null : displacement(files);
  if (displaced !== null) throw new Error(displaced);
}

/**
 * Run by log-writer.test.ts: a process that has nothing more to do while its writer, which it has let go, is inside
 * SQLite, where it fails in the end. It tells how the commit was answered.
 */
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { OutcomeUnknown } from '../../../events/event-store.ts';
import { LogWriter } from '../../../infra/sqlite/log-writer.ts';

const [, , path = ''] = process.argv;
const INSIDE_SQLITE_MS = 1_000;
const GIVEN_UP_AFTER_MS = 100;
const WAITING_WRITER = `
  const { parentPort, workerData: path } = require('node:worker_threads');
  const { createRequire } = require('node:module');
  const Database = createRequire(${JSON.stringify(fileURLToPath(import.meta.url))})('better-sqlite3');
  const db = new Database(path, { timeout: ${INSIDE_SQLITE_MS} });
  parentPort.on('message', (message) => {
    if (message === null) return parentPort.close();
    try {
      db.exec('BEGIN IMMEDIATE');
    } catch {
      // The lock is held until the end of the wait: that SQLite fails inside the thread is what this is for.
    }
  });`;

const lock = new Database(path);
lock.exec('BEGIN IMMEDIATE');
const start = (): Worker => new Worker(WAITING_WRITER, { eval: true, workerData: path });
const writer = new LogWriter({
  path,
  maintain: [],
  startWorker: start,
  answerTimeoutMs: GIVEN_UP_AFTER_MS,
});
const failure = await writer.write(['checkpoint', 'first', '1'], 0).catch((error: unknown) => error);
await writer.close();
process.stdout.write(failure instanceof OutcomeUnknown ? 'unknown' : String(failure));

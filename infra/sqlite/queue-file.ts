/**
 * The tables of queue.db: tasks that wait, what became of notifications, and leases. Used by one worker in each process.
 */
import type { Database } from 'better-sqlite3';
import { openDurableFile } from './durable-file.ts';

const TASKS_AND_DELIVERIES = `
  CREATE TABLE tasks (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    payload TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    added_at INTEGER NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    claim INTEGER NOT NULL DEFAULT 0,
    finished_at INTEGER
  ) STRICT;
  CREATE INDEX tasks_due ON tasks (name, due_at) WHERE finished_at IS NULL;
  CREATE INDEX tasks_finished ON tasks (finished_at) WHERE finished_at IS NOT NULL;
  CREATE TABLE claims (last INTEGER NOT NULL) STRICT;
  INSERT INTO claims VALUES (0);

  CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    endpoint_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    type TEXT NOT NULL,
    job_id TEXT,
    url TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    last_attempt_at TEXT,
    last_status INTEGER,
    last_error TEXT,
    next_attempt_at TEXT
  ) STRICT;
  CREATE INDEX deliveries_of ON deliveries (account_id, endpoint_id, created_at DESC, id DESC);
  CREATE INDEX deliveries_by_age ON deliveries (created_at);
  CREATE TABLE failing_endpoints (endpoint_id TEXT PRIMARY KEY, since TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

const LEASES = `
  CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    ends_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/** No step: earlier programs take a file with it, and refuse one of a format that they do not know. */
const LOG_MARK = `
  CREATE TABLE IF NOT EXISTS log_mark (one INTEGER PRIMARY KEY CHECK (one = 1), mark TEXT NOT NULL) STRICT;
`;

/** A file's format is how many of these it has been through. */
const STEPS = [TASKS_AND_DELIVERIES, LEASES];
/** What a program gave files when the mark was a step; the next step leads past it. */
const FORMAT_WITH_MARK = 3;

/** Opens the file, made where there is none. A commit is durable when it returns. */
export function openQueueFile(path: string): Database {
  return openDurableFile(path, (db, format) => {
    if (format > STEPS.length && format !== FORMAT_WITH_MARK)
      throw new Error(
        `${path} is a queue of format ${format}, and this program knows none after ${STEPS.length}`,
      );
    for (const step of STEPS.slice(format)) db.exec(step);
    db.exec(LOG_MARK);
    // Where nothing changes nothing is written: the first commit of a write-ahead log is one that is marked.
    if (format !== STEPS.length) db.pragma(`user_version = ${STEPS.length}`);
  });
}

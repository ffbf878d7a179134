/**
 * The tables of the embedded log. Rows are only ever added: triggers refuse the rest, also to a person with a shell.
 * The file says whose it is and of which version, so that no other file is taken for a log.
 */
import { StoreUnavailable } from '../../events/event-store.ts';
import type { Database } from 'better-sqlite3';

/** `BRSE` in ASCII: what `PRAGMA application_id` (and file(1)) say of a Bourse log. */
const APPLICATION_ID = 0x42525345;
const SCHEMA_VERSION = 1;

/** AUTOINCREMENT: a position is never given twice, even if the newest rows were lost from a restored file. */
const TABLES = `
  CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    stream_id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    type TEXT NOT NULL,
    version INTEGER NOT NULL,
    at TEXT NOT NULL,
    data TEXT NOT NULL,
    meta TEXT NOT NULL,
    UNIQUE (stream_id, revision),
    UNIQUE (event_id)
  ) STRICT;

  CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
  CREATE TRIGGER events_are_not_deleted BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;

  CREATE TABLE checkpoints (
    name TEXT PRIMARY KEY,
    position TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/** The file is not a log that this program can use; the message says why. */
export class UnusableLogFile extends StoreUnavailable {
  override readonly name = 'UnusableLogFile';
}

/** What the file is: a log of ours, or still empty. @throws {UnusableLogFile} anything else */
export function identifyLog(db: Database): 'log' | 'empty' {
  const applicationId = db.pragma('application_id', { simple: true });
  const version = Number(db.pragma('user_version', { simple: true }));
  if (applicationId === APPLICATION_ID && version === SCHEMA_VERSION) return 'log';
  if (applicationId === APPLICATION_ID) {
    throw new UnusableLogFile(
      `${db.name} is a log of version ${version}; this program knows ${SCHEMA_VERSION}`,
    );
  }
  if (applicationId !== 0 || version !== 0 || hasTables(db)) {
    throw new UnusableLogFile(`${db.name} is a database of another program, not a Bourse log`);
  }
  return 'empty';
}

/** Makes an empty file a log. Another process may be doing the same: whoever comes second finds it done. */
export function createLog(db: Database): void {
  const create = db.transaction(() => {
    if (identifyLog(db) === 'log') return;
    db.exec(TABLES);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  });
  create.immediate();
}

function hasTables(db: Database): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
}

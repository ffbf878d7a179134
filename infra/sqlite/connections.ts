/** Connections that are closed again, whatever happens. */
import Database from 'better-sqlite3';

/** What is made of a connection, which is closed where that fails: of a damaged file the tables may have other columns. */
export function closedOnFailure<Used>(db: Database.Database, use: (db: Database.Database) => Used): Used {
  try {
    return use(db);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** On a connection that is opened for it alone: it pins no file that was replaced in the meantime. */
export function withConnection<T>(path: string, work: (db: Database.Database) => T): T {
  return closed(new Database(path, { fileMustExist: true, timeout: 0 }), work);
}

/** The same, read only: the last connection that may write copies the write-ahead log into the file as it is closed. */
export function lookInto<T>(path: string, look: (db: Database.Database) => T): T {
  return closed(new Database(path, { readonly: true, fileMustExist: true }), look);
}

function closed<T>(db: Database.Database, work: (db: Database.Database) => T): T {
  try {
    return work(db);
  } finally {
    db.close();
  }
}

export function hasTable(db: Database.Database, name: string): boolean {
  return db.prepare<[string]>('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined;
}

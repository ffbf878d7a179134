import Database from 'better-sqlite3';

/** Whether SQLite refused with this code or one that extends it (`SQLITE_IOERR` covers `SQLITE_IOERR_FSYNC`). */
export function isSqliteError(error: unknown, code = 'SQLITE'): error is Error & { readonly code: string } {
  return error instanceof Database.SqliteError && (error.code === code || error.code.startsWith(`${code}_`));
}

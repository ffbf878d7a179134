/**
 * SQLite's `data_version`: another one once another process has committed. It is asked once in a turn of the event loop:
 * to ask costs as much as to read a document.
 */
import type { Database } from 'better-sqlite3';

export interface TurnVersion {
  readonly now: () => number;
  /** Somebody is told how far the file is: what is read from here on is not to be older. */
  readonly doubt: () => void;
}

export function turnVersion(db: Database): TurnVersion {
  const ask = db.prepare<[], number>('PRAGMA data_version').pluck();
  let version = 0;
  let isCertain = false;
  const doubt = (): void => {
    isCertain = false;
  };
  return {
    now() {
      if (isCertain) return version;
      version = ask.get() ?? 0;
      isCertain = true;
      setImmediate(doubt);
      return version;
    },
    doubt,
  };
}

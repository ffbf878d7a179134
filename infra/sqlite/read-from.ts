/** Reads a file without SQLite. */
import { closeSync, openSync } from 'node:fs';

/**
 * Null where the file is not there or cannot be read. To be asked before this process opens it as a database: closing any
 * descriptor of a file gives up all locks of it.
 */
export function readFrom<T>(path: string, read: (file: number) => T): T | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return null;
  }
  try {
    return read(file);
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}

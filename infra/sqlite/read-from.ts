/** Reads files without SQLite. */
import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Null where the file is not there or cannot be opened. To be asked before this process opens it as a database: closing any
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
  } finally {
    closeSync(file);
  }
}

/** Fills the bytes from there on. Whether there was so much, and it could be read. */
export function readAt(file: number, at: number, bytes: Uint8Array): boolean {
  try {
    return readSync(file, bytes, 0, bytes.length, at) === bytes.length;
  } catch {
    return false;
  }
}

/**
 * Whether the files of an open database are still the ones that its path leads to. SQLite goes on writing into a file
 * that was removed or replaced, and nobody will ever see what it writes.
 */
import { type Stats, statSync } from 'node:fs';

/** One file, whatever its name is by now. */
export interface FileIdentity {
  readonly dev: number;
  readonly ino: number;
}

/** Of the database and its write-ahead log; the latter is null where there was none yet. */
export interface OpenFiles {
  readonly path: string;
  readonly main: FileIdentity;
  readonly wal: FileIdentity | null;
}

/** What a connection has just opened. To be called while it is open, and after it has read. */
export function openFiles(path: string): OpenFiles {
  const main = identityOf(path);
  if (main === null) throw new Error(`${path} was removed while it was being opened`);
  return { path, main, wal: identityOf(walOf(path)) };
}

/** What has become of the files, with what to do about it; null while they are in their place. */
export function displacement({ path, main, wal }: OpenFiles): string | null {
  const what = changeOf(path, main) ?? (wal === null ? null : changeOf(walOf(path), wal));
  if (what === null) return null;
  return `${what} while it was open, so nothing more is written to it: put that very file back, or stop every process, put the right files in place and start again`;
}

/** Whether the database itself is in its place, and its write-ahead log alone is not. */
export function isWalAlone({ path, main }: OpenFiles): boolean {
  return changeOf(path, main) === null;
}

function changeOf(path: string, known: FileIdentity): string | null {
  const found = identityOf(path);
  if (found === null) return `${path} was removed`;
  return found.ino === known.ino && found.dev === known.dev ? null : `${path} was replaced`;
}

function identityOf(path: string): FileIdentity | null {
  let found: Stats | undefined;
  try {
    found = statSync(path, { throwIfNoEntry: false });
  } catch {
    // A part of the path is no folder any more, or may not be entered: what is there cannot be ours.
    return null;
  }
  return found === undefined ? null : { dev: found.dev, ino: found.ino };
}

function walOf(path: string): string {
  return `${path}-wal`;
}

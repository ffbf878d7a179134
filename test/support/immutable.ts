/** Files and folders that nobody may change for a while, as on a file system that became read-only. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Unlike rights, this binds whoever is root, and also who has the file open already. */
export function setImmutable(flag: '+i' | '-i', paths: readonly string[]): boolean {
  return spawnSync('chattr', [flag, ...paths]).status === 0;
}

/** Null where it can be done here. */
export function whyNotImmutable(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'bourse-'));
  const path = join(folder, 'file');
  const descriptor = openSync(path, 'w');
  try {
    if (setImmutable('+i', [path])) writeSync(descriptor, '?');
    return 'this machine lets nobody make an open file read-only';
  } catch {
    return null;
  } finally {
    setImmutable('-i', [path]);
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  }
}
